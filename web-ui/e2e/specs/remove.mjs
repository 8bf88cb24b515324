/** Remove an application: it says what goes along, wants the name, and goes before one's eyes. */
import { check, enterWithProbe, mark, neverReloaded, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const page = await enterWithProbe(enter, world, "start: status active ready");
  await unitSays(page, "probe/0", "active");
  await mark(page);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Remove probe" });
  await dialog.getByText("probe/0").first().waitFor();
  const remove = dialog.getByRole("button", { name: "Remove application" });
  check(await remove.isDisabled(), "removal without the name typed");
  await dialog.getByLabel(/to confirm/).fill("probe");
  await remove.click();
  await page.getByRole("heading", { name: "This model is empty" }).waitFor();
  check(await neverReloaded(page), "the page was loaded anew");
}
