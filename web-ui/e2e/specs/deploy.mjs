/** Sign in, deploy from the page, watch it become active without reloading, change config. */
import { check, deployProbe, mark, neverReloaded, signIn, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { page } = await enter();
  await page.goto("/models");
  await page.getByLabel("User", { exact: true }).fill(world.user);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await signIn(page, world);

  await page.getByRole("link", { name: world.model, exact: true }).click();
  await page.getByRole("heading", { name: "This model is empty" }).waitFor();
  await deployProbe(page, world, "start: status active ready", 2);
  await mark(page);
  await unitSays(page, "probe/0", "active", "ready");
  await unitSays(page, "probe/1", "active", "ready");
  check(await neverReloaded(page), "the page was loaded anew");

  await page.getByRole("link", { name: "Configuration" }).click();
  await page.getByLabel("script", { exact: true }).fill("config-changed: status active changed");
  await page.getByRole("button", { name: /^Review/ }).click();
  await page.getByRole("button", { name: /^Apply/ }).click();
  await page.getByRole("link", { name: /^Units/ }).click();
  await unitSays(page, "probe/0", "active", "changed");
  check(await neverReloaded(page), "the page was loaded anew");
}
