/** What charms serve, as a visitor meets it: from the page of `front`, by its links, to a page of `blog`. */
import { charm, check, freePort, periapt } from "../steps.mjs";

export default async function ({ browser, world }) {
  const port = await freePort();
  await periapt("controller-config", `ingress-port=${port}`);
  await periapt("deploy", charm("front").replace(/front\.charm$/, "bundle.yaml"));
  for (const application of ["docs", "blog", "front"]) {
    await periapt("wait-for", "application", application);
  }

  // Somebody from outside, who has no account and was never here.
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const address = (name) => `http://${name}.${world.model}.localhost:${port}/`;
  const link = page.getByRole("link", { name: "Blog" });
  for (let tries = 0; tries < 100; tries += 1) {
    await page.goto(address("front")).catch(() => {});
    if (await link.isVisible()) break;
    await page.waitForTimeout(200);
  }
  await page.getByRole("listitem").filter({ hasText: "(docs)" }).waitFor();
  await link.click();
  await page.waitForURL(address("blog"));
  await page.getByText("This site was rendered from its configuration").waitFor();
  await page.getByRole("link", { name: "About" }).click();
  await page.waitForURL(`${address("blog")}about.html`);
  await page.getByText("A charm wrote this page.").waitFor();
  check((await page.title()).includes("Blog"), `the title is ${await page.title()}`);

  await periapt("unexpose", "blog");
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await page.goto(address("blog"));
    if (answer?.status() === 404) break;
    await page.waitForTimeout(100);
  }
  await page.getByText("periapt expose blog").waitFor();
  check(faults.length === 0, faults.join("; "));
  await context.close();
}
