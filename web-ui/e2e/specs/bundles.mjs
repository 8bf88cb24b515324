/** A bundle is dropped, refused at its line, corrected, planned, applied before one's eyes, exported; drift is shown. */
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATIENCE } from "../browser.mjs";
import { api, charm, check, mark, neverReloaded, periapt, signIn } from "../steps.mjs";

const WRONG = `name: sites
applications:
  hub:
    num_units: 1
  front: {charm: ./front.charm, num_units: 1}
relations:
- [front:website, hub:website]
`;
const RIGHT = WRONG.replace("    num_units: 1\n", "    charm: ./hub.charm\n    num_units: 1\n");

export default async function ({ enter, world }) {
  const { page } = await enter();
  await signIn(page, world);
  const at = `/models/${world.model}/bundles`;
  await page.goto(at);
  await page.getByText("No bundle has been applied to this model yet.").waitFor();
  await mark(page);

  // Refused, with its line.
  const file = join(tmpdir(), `bundle-${process.pid}.yaml`);
  await writeFile(file, WRONG);
  await page.getByLabel("Choose or drop a bundle").setInputFiles([file, charm("hub"), charm("front")]);
  await page.getByRole("alert").filter({ hasText: 'application "hub" names no charm' }).waitFor({ timeout: PATIENCE });
  const wrong = page.getByRole("list", { name: "Line 3 of the bundle" });
  check((await wrong.locator("[aria-current]").innerText()).trim() === "hub:", "the line is not the application's");
  check(await page.getByRole("button", { name: "Apply", exact: true }).isDisabled(), "what is refused can be applied");

  // Corrected in place, and planned: nothing is there yet.
  await page.getByLabel("Bundle YAML").fill(RIGHT);
  await page.getByRole("button", { name: "Dry run" }).click();
  const plan = page.getByRole("region", { name: "Plan", exact: true });
  await plan.getByText("3 changes, none made yet.").waitFor();
  await plan.getByText("deploy hub with 1 unit").waitFor();
  const differences = page.getByRole("table", { name: "Differences between the bundle and the model" });
  await differences.getByRole("row").filter({ hasText: "front:website hub:website" }).waitFor();
  const drawn = page.getByRole("region", { name: "The model as the bundle would leave it" });
  await drawn.getByRole("button", { name: "List" }).click();
  check((await drawn.getByText("added", { exact: true }).count()) >= 2, "new applications are not marked");
  const before = await (await page.request.get(`/v1/models/${world.model}/applications`)).json();
  check(before.items.length === 0, "a dry run deployed something");

  // Applied before one's eyes.
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("Applied: 3 of 3 changes").first().waitFor({ timeout: PATIENCE });
  const progress = page.getByRole("region", { name: "Progress" });
  check((await progress.locator('[data-state="made"]').count()) === 3, "a change is not shown as made");
  await periapt("wait-for", "unit", "front/0", "--query", 'agent-status == "idle"', "--timeout", "3m");
  check(await neverReloaded(page), "the page was loaded anew");

  // The command line agrees with the page: they share one planner.
  const cli = await periapt("diff-bundle", await beside(page));
  check(cli.trim() === "{}", `the command line sees a difference: ${cli}`);
  const drift = page.getByRole("region", { name: "Drift", exact: true });
  await drift.getByText("Nothing differs.").waitFor({ timeout: PATIENCE });

  // Somebody changes the model: the page of the model says so, and the page of bundles what.
  await api(page, "POST", `/v1/models/${world.model}/applications/hub/units`, { count: 1 });
  await page.goto(`/models/${world.model}`);
  const note = page.getByRole("note", { name: "Drift" });
  await note.getByText(/differs from the bundle/).waitFor({ timeout: PATIENCE });
  await note.getByRole("link", { name: "Show the differences" }).click();
  const table = page.getByRole("table", { name: "Differences since the last apply" });
  const units = table.getByRole("row").filter({ hasText: "units" });
  check(/1\s+2/.test(await units.innerText()), "the units are not told");

  // What is exported is the model as it is now.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export the model" }).click();
  const exported = await readFile(await (await download).path(), "utf8");
  check(exported.includes("local:hub-0") && exported.includes("num_units: 2"), exported);
}

/** The bundle in a file beside which no charm has to be: what it names is in the model. */
async function beside(page) {
  const text = RIGHT.replace("./hub.charm", "local:hub-0").replace("./front.charm", "local:front-0");
  check((await page.getByLabel("Bundle YAML").inputValue()) === RIGHT, "the text went away");
  const file = join(tmpdir(), `applied-${process.pid}.yaml`);
  await writeFile(file, text);
  return file;
}
