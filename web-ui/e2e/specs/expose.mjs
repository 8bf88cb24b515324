/** An application is exposed in the page, told why nobody finds it, opened once it is found, and closed again. */
import { createServer } from "node:net";
import { charm, check, periapt, signIn } from "../steps.mjs";

/** Takes a port, until it is given back. */
async function taken() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return { port, give: () => new Promise((resolve) => server.close(resolve)) };
}

export default async function ({ enter, world }) {
  const { port, give } = await taken();
  await periapt("controller-config", `ingress-port=${port}`);
  await periapt("deploy", charm("site"), "docs", "--config", "title=Handbook");
  await periapt("wait-for", "application", "docs");
  const { page, context } = await enter();
  const m = `/models/${world.model}`;
  await signIn(page, world, `${m}/reachability`);
  await page.getByRole("heading", { name: "Nothing is reachable from outside" }).waitFor();

  await page.goto(`${m}/applications/docs`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Expose", exact: true }).click();
  await dialog.getByLabel("Addresses").fill("everywhere");
  await dialog.getByRole("button", { name: "Expose", exact: true }).click();
  await dialog.getByText("everywhere", { exact: false }).first().waitFor();
  await dialog.getByLabel("Addresses").fill("127.0.0.0/8");
  await dialog.getByRole("button", { name: "Expose", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  // Why nobody finds it stands where one looks, without another click.
  const trouble = `127.0.0.1:${port} is in use by another program`;
  await page.locator(".page-head__summary").getByText(trouble).waitFor();
  check(!(await page.getByRole("link", { name: "Open docs", exact: true }).isVisible()), "a link leads nowhere");
  await page.goto(`${m}/reachability`);
  await page.getByRole("alert").getByText(trouble).waitFor();
  const exposed = page.locator('tr[data-exposed="docs"]');
  await exposed.getByText("to 127.0.0.0/8").waitFor();

  // The page is told once it is found.
  await give();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await exposed.getByText(`http://docs.${world.model}.localhost:${port}/`).waitFor();
  await page.locator('tr[data-way="docs/0 80/tcp"]').waitFor();
  await page.goto(m);
  const link = page.locator('tr[data-application="docs"]').getByRole("link", { name: "Open docs" });
  await link.waitFor();
  const [opened] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await opened.getByText("Handbook").first().waitFor();
  check(opened.url() === `http://docs.${world.model}.localhost:${port}/`, `it opened ${opened.url()}`);
  await opened.close();

  await page.goto(`${m}/units/docs/0?view=services`);
  await page.getByRole("table", { name: "Services" }).getByRole("link", { name: /^Open docs/ }).waitFor();
  await page.getByRole("tab", { name: "Live log" }).click();
  await page.getByLabel("Lines of", { exact: true }).selectOption("web/web");
  await page.waitForURL(/service=web%2Fweb/);
  await page.getByText("No matching lines yet").waitFor();
  await page.getByLabel("Lines of", { exact: true }).selectOption("Charm only");
  await page.locator(".log-row").first().waitFor();

  await page.goto(`${m}/applications/docs`);
  await page.getByRole("button", { name: "Unexpose", exact: true }).click();
  await dialog.getByRole("button", { name: "Unexpose", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Expose", exact: true }).waitFor();
  const closed = await context.newPage();
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await closed.goto(`http://docs.${world.model}.localhost:${port}/`).catch(() => null);
    if (answer?.status() !== 200) break;
    check(tries < 99, "it stays open");
    await closed.waitForTimeout(100);
  }
  await closed.close();
}
