/** A kind of change is disabled from the page, shown where it is refused, and enabled again. */
import { visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  await periapt("deploy", charm("noop"), "quiet");
  const { page } = await enter();
  await signIn(page, world);
  const blocks = ["blocks", `/models/${world.model}/blocks`, world.model];
  await visit(page, blocks);
  const row = page.locator('tr[data-block="remove-object"]');
  await row.getByText("not blocked", { exact: true }).waitFor();
  await row.getByRole("button", { name: /^Disable/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message", { exact: true }).fill("ask Ann first");
  await dialog.getByRole("button", { name: "Disable", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("disabled", { exact: true }).waitFor();

  await visit(page, ["application", `/models/${world.model}/applications/quiet`, "quiet"]);
  const banner = page.getByRole("note", { name: "Disabled commands" });
  await banner.getByText("ask Ann first").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const removing = page.getByRole("dialog");
  await removing.getByRole("textbox").first().fill("quiet");
  await removing.getByRole("button", { name: /^Remove/ }).click();
  await removing.getByRole("alert").getByText("ask Ann first").waitFor();
  await page.keyboard.press("Escape");

  await visit(page, blocks);
  await row.getByRole("button", { name: /^Enable/ }).click();
  await row.getByText("not blocked", { exact: true }).waitFor();
  await banner.waitFor({ state: "detached" });
  check((await page.getByRole("button", { name: /^Enable/ }).count()) === 0, "what is allowed can be enabled");
}
