/** Break a unit, see it in the attention list, read its hook and log, skip the hook. */
import { charm, deploy, periapt, signIn, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  await periapt("model-config", "automatically-retry-hooks=false");
  const { page } = await enter();
  await signIn(page, world);
  await deploy(page, {
    model: world.model,
    file: charm("probe"),
    name: "probe",
    config: { script: "start: fail 1000" },
  });
  await unitSays(page, "probe/0", "error");
  await page.goto(`/models/${world.model}`);
  const attention = page.getByRole("region", { name: "Needs attention" });
  await attention.getByRole("link", { name: "probe/0" }).click();
  await page.getByRole("heading", { level: 1, name: "probe/0" }).waitFor();
  await page.getByText("A hook failed").waitFor();
  await page.getByRole("tab", { name: "Live log" }).click();
  await page.getByText(/start/).first().waitFor();
  await page.getByRole("tab", { name: "Status history" }).click();
  await page.getByText("error").first().waitFor();
  await page.getByRole("tab", { name: "Hooks" }).click();
  await page.getByText("start").first().waitFor();

  await page.getByRole("button", { name: "Skip hook" }).click();
  await page.getByText("A hook failed").waitFor({ state: "detached" });
}
