/** Another controller is added in the page, and its page is gone to at the same model. */
import { serious } from "../axe.mjs";
import { check, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const other = process.env.PERIAPT_TEST_OTHER;
  const password = process.env.PERIAPT_TEST_OTHER_PASSWORD;
  const away = "https://127.0.0.1:1";
  const { page } = await enter({ others: [other, away] });
  await signIn(page, world, `/models/${world.model}`);
  const open = page.getByRole("button", { name: "Controller tester", exact: true });
  await open.click();
  await page.getByText("No other controllers have been added.").waitFor();

  const add = async (address, name) => {
    await page.getByRole("button", { name: "Add controller", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Add controller" });
    await dialog.getByLabel("Address", { exact: true }).fill("http://prod");
    await dialog.getByText("An address such as").waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill(address);
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    const found = await serious(page);
    check(found.length === 0, `axe-core found:\n${found.join("\n")}`);
    await dialog.getByRole("button", { name: "Add controller", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await add(new URL(other).host, "prod");
  await add(away, "away");
  const row = (name) => page.locator(`[data-controller="${name}"]`);
  await row("prod").getByText(new URL(other).host, { exact: true }).waitFor();
  await row("away").getByRole("button", { name: "Forget away" }).click();
  await row("away").waitFor({ state: "detached" });

  // It is known also after the page was loaded anew, and leads to the same model of the other.
  await page.reload();
  await open.click();
  await row("prod").getByRole("link").click();
  await page.waitForURL((url) => url.origin === other);
  await page.getByLabel("User", { exact: true }).fill("admin");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: world.model, exact: true }).waitFor();
  check(new URL(page.url()).pathname === `/models/${world.model}`, page.url());
}
