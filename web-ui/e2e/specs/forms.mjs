/** Dialogs begin at their first field, and what is wrong with a field can be read. */
import { fillWrongly, invalid, open } from "../dialogs.mjs";
import { visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  await periapt("deploy", charm("noop"), "site");
  for (const dark of [false, true]) {
    const { page } = await enter({ dark });
    await signIn(page, world);
    for (const each of invalid(world.model, "site")) {
      const dialog = await open(page, each);
      const focused = await page.evaluate(() => document.activeElement?.id);
      const field = dialog.getByLabel(each.fill.label, { exact: true });
      check(focused === (await field.getAttribute("id")), `${each.name} does not begin at ${each.fill.label}`);
      await fillWrongly(dialog, each);
      const message = dialog.locator(".p-form-validation__message");
      const looks = await message.evaluate((element) => {
        const { backgroundImage, color } = getComputedStyle(element);
        const behind = getComputedStyle(element.closest("dialog")).backgroundColor;
        return { backgroundImage, color, behind };
      });
      check(looks.backgroundImage === "none", `${each.name}: ${looks.backgroundImage} lies behind the words`);
      check(looks.color !== looks.behind, `${each.name}: words of the colour of the ground`);
    }
    await visit(page, ["users", "/users", "Users"]);
    await page.getByRole("button", { name: "Add user" }).click();
    await page.keyboard.type(dark ? "ada" : "bob");
    const dialog = page.getByRole("dialog");
    check((await dialog.getByLabel("Name", { exact: true }).inputValue()) !== "", "typing did not land in Name");
    await dialog.getByRole("button", { name: "Add user" }).click();
    await dialog.getByLabel("Registration string").waitFor();
    check((await dialog.getByRole("button", { name: "Cancel" }).count()) === 0, "Cancel after it was done");
    // The link has all that the text has.
    const text = await dialog.getByLabel("Registration string").inputValue();
    await dialog.getByRole("img", { name: /^QR code of the registration link of/ }).waitFor();
    const invited = await enter({ dark });
    await invited.page.goto(`/register#${encodeURIComponent(text)}`);
    await invited.page.getByText(`For user ${dark ? "ada" : "bob"} of`).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
  }
}
