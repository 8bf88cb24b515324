/** Two browsers: what one does, the other sees. */
import { check, deployProbe, mark, neverReloaded, signIn, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const one = await enter();
  const other = await enter({ dark: true });
  await signIn(one.page, world);
  await signIn(other.page, world, `/models/${world.model}?tab=units`);
  await mark(other.page);
  await deployProbe(one.page, world, "start: status active seen");
  await unitSays(other.page, "probe/0", "active", "seen");
  await one.page.getByRole("button", { name: "Scale" }).click();
  const dialog = one.page.getByRole("dialog", { name: "Scale probe" });
  await dialog.getByLabel("Units", { exact: true }).fill("2");
  await dialog.getByRole("button", { name: "Add 1" }).click();
  await unitSays(other.page, "probe/1", "active", "seen");
  check(await neverReloaded(other.page), "the other page was loaded anew");
}
