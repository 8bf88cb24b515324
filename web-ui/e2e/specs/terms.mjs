/** Minimum number of units, trust and constraints of an application: shown, changed, and refused in words. */
import { visit } from "../pages.mjs";
import { charm, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  await periapt("deploy", charm("noop"), "quiet");
  await periapt("wait-for", "application", "quiet", "--query", "len(units) == 1", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  await visit(page, ["config", `/models/${world.model}/applications/quiet/config`, "quiet"]);
  const row = (term) => page.locator(`tr[data-term="${term}"]`);
  const dialog = page.getByRole("dialog");
  const answer = (name) => dialog.getByRole("button", { name, exact: true }).click();

  await row("constraints").getByRole("button").click();
  await dialog.getByLabel("Constraints", { exact: true }).fill("men=4G");
  await answer("Set");
  await dialog.getByText(/did you mean "mem"/).first().waitFor();
  await dialog.getByLabel("Constraints", { exact: true }).fill("mem=1G");
  await answer("Set");
  await row("constraints").getByText("mem=1024M", { exact: true }).waitFor();

  await row("trust").getByRole("button").click();
  await answer("Trust");
  await row("trust").getByText("yes", { exact: true }).waitFor();
  await row("trust").getByRole("button").click();
  await answer("Take back");
  await row("trust").getByText("no", { exact: true }).waitFor();
  await row("constraints").getByRole("button").click();
  await dialog.getByLabel("Constraints", { exact: true }).fill("");
  await answer("Set");
  await row("constraints").getByText("none", { exact: true }).waitFor();

  await row("minimum").getByRole("button").click();
  await dialog.getByLabel("Keep at least", { exact: true }).fill("2");
  await answer("Set");
  await row("minimum").getByText("2", { exact: true }).waitFor();
  await page.getByText("2, at least 2", { exact: true }).waitFor();
}
