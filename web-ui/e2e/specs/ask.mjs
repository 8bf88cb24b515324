/** What cannot be taken back asks first and says what follows; a failed hook says why. */
import { api, check, enterAs, enterWithFailedProbe } from "../steps.mjs";

export default async function ({ enter, world }) {
  const page = await enterWithFailedProbe(enter, world);
  await page.goto(`/models/${world.model}/units/probe/0`);
  const banner = page.getByRole("region", { name: "Failed hook" });
  await banner.getByRole("heading", { name: "Hook start failed" }).waitFor();
  const { workload } = await api(page, "GET", `/v1/models/${world.model}/units/probe/0`);
  check(workload.data.reason, "the API tells no reason");
  await banner.getByText(workload.data.reason).first().waitFor();
  await banner.getByText("In error for").waitFor();
  await banner.getByText("It is not retried automatically.").waitFor();
  await banner.getByRole("list", { name: "Last log lines of probe/0" }).getByText("hook start").first().waitFor();
  const primary = banner.locator(".p-button--positive");
  check((await primary.innerText()) === "Retry hook", "Retry is not the first choice");

  let resolved = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/resolved")) resolved += 1;
  });
  const dialog = page.getByRole("dialog");
  await banner.getByRole("button", { name: "Skip hook" }).click();
  await dialog.getByText("as if start had succeeded").waitFor();
  await dialog.getByText("This cannot be undone.", { exact: false }).waitFor();
  check((await page.evaluate(() => document.activeElement?.textContent)) === "Cancel", "the focus is not on Cancel");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  check(resolved === 0, "the hook was skipped without an answer");
  await banner.getByRole("button", { name: "Skip hook" }).click();
  await dialog.getByRole("button", { name: "Skip hook" }).click();
  await banner.waitFor({ state: "detached" });
  check(resolved === 1, `${resolved} answers were sent`);

  const bob = await enterAs(enter, page, "bob");
  await page.goto("/users/bob");
  await page.getByRole("button", { name: "Disable" }).click();
  await dialog.getByText("All sessions and tokens of bob end at once", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  check(!(await api(page, "GET", "/v1/users/bob")).disabled, "bob was disabled without an answer");
  await page.getByRole("button", { name: "Grant superuser" }).click();
  await dialog.getByText("every model, whoever owns it", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  check((await api(page, "GET", "/v1/users/bob")).access === "login", "bob became superuser without an answer");
  await page.getByRole("button", { name: "Grant superuser" }).click();
  await dialog.getByRole("button", { name: "Grant superuser" }).click();
  await page.getByRole("button", { name: "Revoke superuser" }).click();
  await dialog.getByRole("button", { name: "Revoke superuser" }).click();
  await page.getByRole("button", { name: "Grant superuser" }).waitFor();
  await page.getByRole("button", { name: "Disable" }).click();
  await dialog.getByRole("button", { name: "Disable user" }).click();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await bob.page.goto("/sign-in");
}
