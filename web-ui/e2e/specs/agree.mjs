/** One status, everywhere: table, head, counts, attention box, topology, filter and API. */
import { api, charm, check, periapt, signIn, unitRow, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { model } = world;
  await periapt("model-config", "automatically-retry-hooks=false");
  await periapt("deploy", charm("probe"), "probe", "-n", "2", "--config", "script=start: fail 1000");
  await periapt("deploy", charm("site"), "fine");
  await periapt("wait-for", "application", "fine", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world, `/models/${model}?tab=units`);
  for (const unit of ["probe/0", "probe/1"]) await unitSays(page, unit, "error");

  const told = await api(page, "GET", `/v1/models/${model}/applications/probe`);
  check(told.status.status === "error", `the API calls the application ${told.status.status}`);
  await page.getByRole("tab", { name: /^Applications/ }).click();
  const { applications } = JSON.parse(await periapt("status", "--format", "json"));
  const inCli = applications.probe["application-status"].current;
  check(inCli === "error", `the command line calls the application ${inCli}`);
  await page.getByLabel("Search everything").fill("probe");
  await page.getByRole("option", { name: /^application.*probe.*error/ }).first().waitFor();
  await page.keyboard.press("Escape");
  const row = page.locator('tr[data-application="probe"]');
  await row.getByText("error", { exact: true }).waitFor();
  await row.getByText("0/2").waitFor();
  // Both units have the same trouble: one line.
  const attention = page.getByRole("region", { name: "Needs attention" });
  check((await attention.getByRole("listitem").count()) === 1, "the attention box has more than one line");
  await attention.getByRole("link", { name: "probe/1" }).waitFor();

  // The count leads to what it counted, and the filter is in the address.
  await page.locator("header.page-head").getByRole("link", { name: "2 error" }).click();
  await page.waitForURL(/status=error/);
  await unitRow(page, "probe/0").waitFor();
  await unitRow(page, "fine/0").waitFor({ state: "detached" });
  await unitRow(page, "probe/1").waitFor();
  check((await page.locator("tr[data-unit]").count()) === 2, "the filter shows other units than were counted");
  await page.getByRole("tab", { name: "Units 2 of 3" }).waitFor();
  await page.goto(`/models/${model}?status=error`);
  await row.waitFor();
  check((await page.locator("tr[data-application]").count()) === 1, "the filter shows other applications");
  await row.getByRole("link", { name: "probe", exact: true }).click();
  await page.locator("header.page-head").getByText("error", { exact: true }).waitFor();
  await page.goBack();
  await page.waitForURL(/status=error/);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.locator('tr[data-application="fine"]').waitFor();
  await page.getByLabel("Filter by name, status or message").fill("nothing is like this");
  await page.getByRole("heading", { name: "Nothing matches this filter" }).waitFor();
  check((await page.locator("table").count()) === 0, "empty tables");

  await page.goto(`/models/${model}/topology`);
  await page.getByText(/2 applications \(1 error, 1 \w+\)/).waitFor();
  // The filter of the picture stands in the address as that of the tables does.
  await page.getByRole("button", { name: "1 error" }).click();
  await page.waitForURL(/status=error/);
  await page.getByText("1 of 2 match").waitFor();
  await page.getByText(/^1 application \(1 error\)/).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing is like this");
  await page.getByRole("heading", { name: "Nothing matches this filter" }).waitFor();
  check((await page.locator(".graph").count()) === 0, "an empty picture");

  // Once skipped the history says that the error is over.
  await periapt("resolved", "probe/0", "--no-retry");
  await page.goto(`/models/${model}/units/probe/0?view=history`);
  await page.getByRole("region", { name: "Failed hook" }).waitFor({ state: "detached" });
  const current = page.locator(".status-timeline-list li").filter({ hasText: "current" });
  await current.first().waitFor();
  await page.waitForFunction(
    () => {
      const rows = [...document.querySelectorAll(".status-timeline-list li")];
      const held = rows.filter((row) => row.querySelector(".status-timeline-held")?.textContent === "current");
      return held.length > 0 && !held.some((row) => /error/.test(row.querySelector(".chart-status-word")?.textContent ?? ""));
    },
    undefined,
    { timeout: 60_000 },
  );
}
