/** While the controller is gone: one time since when, on every page; marks, logs and words stay. */
import { check, enterWithProbe, live, periapt, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const page = await enterWithProbe(enter, world, "start: status active ready");
  await unitSays(page, "probe/0", "active", "ready");
  check(/^probe · test · Models · .+ · Periapt$/.test(await page.title()), `title: ${await page.title()}`);
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: world.model }).click();
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByText(/^Follow/).waitFor();
  check((await page.title()).startsWith("Logs · test · "), `title: ${await page.title()}`);

  await periapt("controller", "stop");
  const badge = page.getByText(/^Stale since \d\d:\d\d:\d\d$/);
  await badge.waitFor();
  const since = await badge.innerText();
  await page.getByText("The log stream is broken").waitFor();
  // A log without lines does not promise any.
  await page.getByLabel("Text", { exact: true }).fill("no line is like this");
  await page.getByRole("heading", { name: "The log cannot be read now" }).waitFor();
  await page.waitForTimeout(2_000);
  // Another page has another stream; the controller is gone since the same moment.
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Models" }).click();
  await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
  await badge.waitFor();
  check((await badge.innerText()) === since, `${since} became ${await badge.innerText()}`);
  await page.getByRole("heading", { name: "The controller does not answer" }).waitFor();
  // The page's mark is drawn in it.
  check((await page.locator(".side__brand svg.logo").count()) === 1, "no logo");
  check((await page.locator("img").count()) === 0, "a picture that would be lost with the controller");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Controller" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "The controller does not answer" }).first();
  await alert.waitFor();
  const words = await alert.innerText();
  check(!words.includes("..") && !words.includes("`"), `the alert says: ${words}`);
  check((await alert.locator("code").filter({ hasText: "periapt controller start" }).count()) === 1, "no command");

  await periapt("controller", "start");
  await live(page);
}
