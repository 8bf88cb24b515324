/**
 * Runs one spec against a controller that already runs:
 * `PERIAPT_URL=https://... PERIAPT_USER=... PERIAPT_PASSWORD=... node e2e/run.mjs SPEC`.
 *
 * A spec is a file of `specs/` whose default export gets the browser, a visitor and the world.
 * When it fails, what the browser shows is kept as a picture in `target/browser/`.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, visitor } from "./browser.mjs";

const name = process.argv[2];
const world = {
  url: process.env.PERIAPT_URL,
  user: process.env.PERIAPT_USER ?? "admin",
  password: process.env.PERIAPT_PASSWORD,
  model: process.env.PERIAPT_MODEL ?? "test",
};
if (!name || !world.url || !world.password) {
  console.error("usage: PERIAPT_URL=… PERIAPT_USER=… PERIAPT_PASSWORD=… node e2e/run.mjs SPEC");
  process.exit(2);
}

const { default: spec } = await import(new URL(`./specs/${name}.mjs`, import.meta.url).href);
const browser = await launch();
const visitors = [];
const enter = async (options = {}) => {
  const entered = await visitor(browser, { url: world.url, ...options });
  visitors.push(entered);
  return entered;
};
let failed = false;
try {
  await spec({ browser, enter, world });
} catch (error) {
  failed = true;
  console.error(error);
  const directory = fileURLToPath(new URL("../../target/browser/", import.meta.url));
  mkdirSync(directory, { recursive: true });
  for (const [number, { page }] of visitors.entries()) {
    const path = `${directory}${name}-${number}.png`;
    await page.screenshot({ path, fullPage: true, timeout: 10_000 }).catch(() => {});
    console.error(`what the browser showed: ${path} at ${page.url()}`);
  }
}
for (const { faults } of visitors) {
  for (const fault of faults) {
    failed = true;
    console.error(fault);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
