/**
 * Chromium as the tests run it: Debian's, without a display, without a word to anybody. Its headless shell draws the
 * same pages with two thirds of the processor time, which is what the browser suite is short of.
 */
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-default-apps",
  "--no-first-run",
  "--no-pings",
];

/** Generous, for loaded machines; nothing here measures speed. */
export const PATIENCE = 120_000;

export async function launch() {
  return chromium.launch({
    executablePath: process.env.PERIAPT_TEST_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    headless: true,
    args: FLAGS,
  });
}

/**
 * A visitor of their own: cookies, storage, one page. Errors of the page fail the test, and so does a request to
 * anybody but this controller and the `others`.
 */
export async function visitor(browser, { url, width = 1280, height = 900, dark = false, storageState, others = [] }) {
  const context = await browser.newContext({
    baseURL: url,
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    storageState,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (/Content Security Policy|Content-Security-Policy/.test(text)) faults.push(`policy: ${text}`);
  });
  const origin = new URL(url).origin;
  page.on("request", (request) => {
    const address = request.url();
    if (![origin, ...others].some((each) => address.startsWith(each)) && /^(https?|wss?):/.test(address)) {
      faults.push(`third party: ${address}`);
    }
  });
  return { context, page, faults };
}
