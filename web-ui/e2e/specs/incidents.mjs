/** One card for one cause: silenced, heard of again, asked about before it is skipped, retried in all units. */
import { visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { model } = world;
  await periapt("model-config", "automatically-retry-hooks=false");
  await periapt("deploy", charm("probe"), "probe", "-n", "2", "--config", "script=start: fail 1000");
  for (const unit of ["probe/0", "probe/1"]) {
    await periapt("wait-for", "unit", unit, "--query", 'workload-status == "error"', "--timeout", "3m");
  }
  const { page } = await enter();
  await signIn(page, world);
  // The list of what needs attention leads to the causes.
  await page.goto(`/models/${model}`);
  await page.getByRole("region", { name: "Needs attention" }).getByRole("link", { name: /^Incidents/ }).click();
  await page.waitForURL(/\/incidents$/);
  const card = page.locator("article.incident").filter({ hasText: "probe: start failed" });
  await card.getByText("2 units", { exact: true }).waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1) Incidents"));
  check((await page.locator("article.incident").count()) === 1, "two units with one cause are more than one incident");
  await card.getByText(/told to fail/).first().waitFor();
  await card.getByText(/admin deployed .* as probe/).waitFor();
  for (const unit of ["probe/0", "probe/1"]) await card.getByRole("link", { name: unit, exact: true }).waitFor();

  const dialog = page.getByRole("dialog");
  await card.getByRole("button", { name: "Silence", exact: true }).click();
  await dialog.getByLabel("How long").selectOption("3600");
  await dialog.getByRole("button", { name: "Silence", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await card.waitFor({ state: "detached" });
  await page.getByText("Everything that is wrong has been silenced").waitFor();
  check((await periapt("incidents", "--format", "json")).trim() === "[]", "the command line shows what is silenced");
  await page.getByLabel(/^Show silenced/).check();
  await page.waitForURL(/silenced=true/);
  await card.getByText(/^ends in/).waitFor();
  await card.getByRole("button", { name: "End silence" }).click();
  await card.getByRole("button", { name: "Silence", exact: true }).waitFor();

  // Nothing is skipped before it was asked for.
  await card.getByRole("button", { name: "Skip all" }).click();
  await dialog.getByText("probe/0 and probe/1 continue without it.").waitFor();
  await dialog.getByText("This cannot be undone").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await card.waitFor();

  await periapt("config", "probe", "script=start: status active ready");
  await card.getByRole("button", { name: "Retry all" }).click();
  await card.waitFor({ state: "detached", timeout: 60_000 });
  await page.getByRole("heading", { name: "No incidents" }).waitFor();
  await periapt("wait-for", "application", "probe", "--timeout", "3m");

  // What was done is on record, as a person would say it.
  await visit(page, ["audit", `/models/${model}/audit`, model]);
  await page.getByText(/^retried incident probe-start-/).waitFor();
  await page.getByText(/^silenced incident probe-start-.* for 3600 seconds$/).waitFor();
  const audit = page.getByRole("table", { name: "Audit log" });
  check((await audit.getByText("signed in").count()) === 0, "sign-ins are among the changes");
}
