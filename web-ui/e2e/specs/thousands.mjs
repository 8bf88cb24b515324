/**
 * 2,000 units: listed within a second, a key of the filter painted within 50 ms, and no more drawn than is
 * seen. Judged is the processor time that the page's own thread takes, since a machine with other work lets
 * everything wait; what a person waits for is said beside it, and measured by `figures.mjs`.
 */
import { check, crowd, signIn } from "../steps.mjs";

const UNITS = Number(process.env.PERIAPT_FLEET_UNITS ?? 2000);
const APPLICATIONS = 4;
/** Elements of the whole page, whatever the model has. */
const MOST_ELEMENTS = 4_000;
/** Milliseconds of the page's thread. A second has room for the controller and the way as well. */
const INTERACTIVE = 800;
const KEY = 50;
const LOADS = 5;
const QUIET = 1_000;

export default async function ({ enter, world }) {
  // While agents work the page has changes to draw, and the machine has no time for it.
  await crowd(world.model, UNITS, APPLICATIONS);

  const first = await enter();
  await signIn(first.page, world);
  const storageState = await first.context.storageState();
  await first.context.close();
  const loads = [];
  let page;
  let spent;
  for (let number = 0; number < LOADS; number += 1) {
    await page?.context().close();
    ({ page } = await enter({ storageState }));
    spent = await spender(page);
    const waited = await load(page, `/models/${world.model}?tab=units`);
    loads.push({ waited, took: await spent() });
  }
  const took = loads.map((each) => each.took);
  console.log(`interactive after ${said(loads.map(({ waited }) => waited))}, which took ${said(took)}`);
  check(Math.min(...took) <= INTERACTIVE, `${UNITS} units take the page ${said(took)}`);

  await bounded(page, "at first");
  const keys = await types(page, ["app2/1", "idle", "app0/49"], spent);
  console.log(`keys painted after ${said(keys.painted)}, each of which took ${said(keys.took)}`);
  check(Math.min(...keys.took) <= KEY, `a key of the filter takes the page ${said(keys.took)}`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();

  // From end to end by the keyboard, and no row is missing or drawn twice.
  await page.getByRole("tab", { name: `Units ${UNITS}`, exact: true }).waitFor();
  await page.locator("tr[data-unit]").first().focus();
  await page.keyboard.press("End");
  const last = `app${APPLICATIONS - 1}/${UNITS / APPLICATIONS - 1}`;
  await page.waitForFunction((last) => document.activeElement?.dataset.row === last, last);
  await bounded(page, "at the end");
  const seen = await page.locator(`tr[data-unit="${last}"]`).boundingBox();
  check(seen && seen.y >= 0 && seen.y + seen.height <= 900, `the last row lies at ${JSON.stringify(seen)}`);
  check(
    await page.evaluate(() => {
      const shown = [...document.querySelectorAll("tr[data-unit]")].map((row) => row.dataset.unit);
      return new Set(shown).size === shown.length;
    }),
    "a row is drawn twice",
  );
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.dataset.row === "app0/0");

  // Its own pages are no longer than their windows either.
  await page.goto(`/models/${world.model}/applications/app0`);
  await page.locator("tr[data-unit]").first().waitFor();
  await bounded(page, "on the page of an application");

  const phone = await enter({ storageState, width: 390, height: 844 });
  await phone.page.goto(`/models/${world.model}?tab=units`);
  await phone.page.locator("tr[data-unit]").first().waitFor();
  await bounded(phone.page, "on a phone");
  const wide = await phone.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(wide <= 1, `${wide} px too wide on a phone`);
}

const said = (times) => `${times.map(Math.round).join(", ")} ms`;

/** What the page's thread took of the processor since it was asked last, in milliseconds. */
async function spender(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Performance.enable", { timeDomain: "threadTicks" });
  let before = 0;
  return async () => {
    const { metrics } = await debug.send("Performance.getMetrics");
    const now = metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    const took = now - before;
    before = now;
    return took;
  };
}

async function bounded(page, where) {
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  console.log(`${elements} elements ${where}`);
  check(elements <= MOST_ELEMENTS, `${elements} elements ${where}`);
}

/** A cold load: when the units are listed and no task holds up who uses the page. */
async function load(page, path) {
  await page.addInitScript((units) => {
    const seen = { content: null, busyUntil: 0 };
    globalThis.figures = seen;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) seen.busyUntil = Math.max(seen.busyUntil, startTime + duration);
    }).observe({ type: "longtask", buffered: true });
    new MutationObserver(() => {
      if (seen.content !== null) return;
      const table = document.querySelector("table[aria-rowcount]");
      if (Number(table?.getAttribute("aria-rowcount")) > units) seen.content = performance.now();
    }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-rowcount"] });
  }, UNITS);
  await page.goto(path);
  await page.waitForFunction(
    (quiet) => {
      const { content, busyUntil } = globalThis.figures;
      return content !== null && performance.now() - Math.max(content, busyUntil) > quiet;
    },
    QUIET,
    { polling: 100 },
  );
  return page.evaluate(() => Math.max(globalThis.figures.content, globalThis.figures.busyUntil));
}

/** Types words into the filter: when each key was painted, and what the keys of a word took on average. */
async function types(page, words, spent) {
  await page.evaluate(() => {
    globalThis.painted = [];
    document.addEventListener(
      "input",
      ({ timeStamp }) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          // After the frame that shows it.
          port1.onmessage = () => globalThis.painted.push(performance.now() - timeStamp);
          port2.postMessage(null);
        });
      },
      true,
    );
  });
  const field = page.getByLabel("Filter by name, status or message");
  const [painted, took] = [[], []];
  for (const word of words) {
    await field.fill("");
    await page.waitForTimeout(400);
    await page.evaluate(() => {
      globalThis.painted.length = 0;
    });
    await field.focus();
    await spent();
    for (const key of word) {
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
    }
    await page.waitForFunction((count) => globalThis.painted.length >= count, word.length);
    took.push((await spent()) / word.length);
    painted.push(...(await page.evaluate(() => globalThis.painted)));
    const narrowed = await page.locator("tr[data-unit]").first().textContent();
    check(narrowed.toLowerCase().includes(word), `${word} shows ${narrowed}`);
  }
  return { painted, took };
}
