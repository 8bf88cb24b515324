/** Something is noted of a model, an application, a unit and a machine, changed and taken away. */
import { visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

async function annotates(page) {
  await page.getByRole("button", { name: "Annotate", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Key", { exact: true }).fill("two words");
  await dialog.getByLabel("Text", { exact: true }).fill("ann");
  await dialog.getByText("A key must not contain blanks, = or control characters").waitFor();
  await dialog.getByLabel("Key", { exact: true }).fill("owner");
  await dialog.getByRole("button", { name: "Annotate", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const row = page.locator('tr[data-annotation="owner"]');
  await row.getByText("ann", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Edit owner" }).click();
  await dialog.getByLabel("Text", { exact: true }).fill("bob");
  await dialog.getByRole("button", { name: "Annotate", exact: true }).click();
  await row.getByText("bob", { exact: true }).waitFor();
  await page.reload();
  await row.getByText("bob", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Remove owner" }).click();
  await row.waitFor({ state: "detached" });
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("noop"), "quiet");
  await periapt("wait-for", "application", "quiet", "--query", "len(units) == 1", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  const model = `/models/${world.model}`;
  for (const place of [
    ["model", model, world.model],
    ["application", `${model}/applications/quiet`, "quiet"],
    ["unit", `${model}/units/quiet/0`, "quiet/0"],
    ["machine", `${model}/machines/0`, "Machine 0"],
  ]) {
    await visit(page, place);
    await annotates(page);
  }
  check((await page.locator("tr[data-annotation]").count()) === 0, "something is still noted");
}
