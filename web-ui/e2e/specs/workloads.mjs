/** What runs in a unit, with what it went through: services, checks, metrics, and requests as charts; on a phone too. */
import { serious } from "../axe.mjs";
import { serve, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

/** The words of a cell, by the label that a phone shows beside it. */
const cell = (row, label) => row.locator(`td[data-label="${label}"]`);

/** A chart is drawn, and says a figure that is not nothing. */
async function charted(page, title) {
  const plot = page.getByRole("slider", { name: `${title} over time` });
  await plot.waitFor();
  const drawn = await plot.locator("path.figures-line").first().getAttribute("d");
  check(/^M[\d.]+ [\d.]+/.test(drawn ?? ""), `the chart ${title} has no line: ${drawn}`);
  return plot.getAttribute("aria-valuetext");
}

/** Nothing sticks out, a phone names each column beside its cell, and axe finds nothing. */
async function sound(page, name, width) {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(overflow <= 1, `${name} at ${width} is ${overflow} px too wide`);
  const bare = await page.locator("table.list tbody td:not([data-label]):not([colspan])").count();
  check(bare === 0, `${name}: ${bare} cells do not say what they are on a phone`);
  check((await page.locator("table:not(.list)").count()) === 0, `${name}: a table does not look like the others`);
  const found = await serious(page);
  check(found.length === 0, `axe-core found on ${name} at ${width}:\n${found.join("\n")}`);
}

export default async function ({ enter, world }) {
  await serve(periapt, charm);
  const units = `/models/${world.model}/units`;
  for (const width of [1280, 360]) {
    const { page } = await enter({ width, height: 800 });
    await signIn(page, world);

    await visit(page, ["counter", `${units}/counter/0?view=services`, "counter/0"]);
    const checked = page.getByRole("table", { name: "Checks" }).getByRole("row", { name: /^web\/health/ });
    await cell(checked, "Status").getByText("up", { exact: true }).waitFor();
    await cell(checked, "Level").getByText("ready", { exact: true }).waitFor();
    await cell(checked, "Failures").getByText("0/3", { exact: true }).waitFor();
    const measured = page.getByRole("table", { name: "Metrics" }).getByRole("row", { name: /^count/ });
    await cell(measured, "Value").getByText(/^[1-9]\d*$/).waitFor();
    await cell(measured, "Trend").getByRole("img", { name: /^count: now [1-9]/ }).waitFor();
    check(/^[1-9]/.test((await charted(page, "Requests per minute")).split(": ").at(-1)), "no request was counted");
    await charted(page, "Latency");
    await sound(page, "the unit of counter", width);

    await visit(page, ["requests", `/models/${world.model}/applications/counter/requests`, "counter"]);
    await charted(page, "Requests per minute");
    await sound(page, "the requests of counter", width);

    await visit(page, ["unruly", `${units}/unruly/0?view=services`, "unruly/0"]);
    const service = page.getByRole("table", { name: "Services" }).getByRole("row", { name: /^web\/web/ });
    await cell(service, "Current").getByText("active", { exact: true }).waitFor();
    await cell(service, "Restarts").getByText("1", { exact: true }).waitFor();
    await cell(service, "Last end").getByText("exited 0").waitFor();
    const passed = page.getByRole("table", { name: "History of the services" }).getByRole("row", { name: /^web\/web/ });
    await cell(passed.first(), "State").getByText("active", { exact: true }).waitFor();
    await cell(passed, "Exit").getByText("exited 0").first().waitFor();
    await sound(page, "the unit of unruly", width);
  }
}
