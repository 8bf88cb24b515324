/** Break a unit, see it in the attention list, read its hook and log, skip the hook. */
import { enterWithFailedProbe } from "../steps.mjs";

export default async function ({ enter, world }) {
  const page = await enterWithFailedProbe(enter, world);
  await page.goto(`/models/${world.model}`);
  const attention = page.getByRole("region", { name: "Needs attention" });
  await attention.getByRole("link", { name: "probe/0" }).click();
  await page.getByRole("heading", { level: 1, name: "probe/0" }).waitFor();
  const banner = page.getByRole("region", { name: "Failed hook" });
  await banner.waitFor();
  await page.getByRole("tab", { name: "Live log" }).click();
  await page.getByText(/start/).first().waitFor();
  await page.getByRole("tab", { name: "Status history" }).click();
  await page.getByText("error").first().waitFor();
  await page.getByRole("tab", { name: "Hooks" }).click();
  await page.getByText("start").first().waitFor();

  await banner.getByRole("button", { name: "Skip hook" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Skip hook" }).click();
  await banner.waitFor({ state: "detached" });
}
