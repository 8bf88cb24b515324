/** Remove an application: it says what goes along, wants the name, and goes before one's eyes. */
import { charm, check, deploy, mark, neverReloaded, signIn, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { page } = await enter();
  await signIn(page, world);
  await deploy(page, {
    model: world.model,
    file: charm("probe"),
    name: "probe",
    config: { script: "start: status active ready" },
  });
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
