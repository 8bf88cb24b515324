/** Words stay whole in every table, at every width; the log can be read on a phone. */
import { failedRun, furnish, pages, relation, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

const LONG = "a-very-long-application-name-as-people-do-give-them";

const WIDTHS = [1440, 1280, 1001, 900, 790, 360];

/** Another width, and the frame after it, in which what watches the size of something has drawn it anew. */
async function resize(page, width) {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

/** Words of tables and facts that are drawn on more than one line. */
async function broken(page) {
  return page.evaluate(() => {
    const found = [];
    const cells = document.querySelectorAll(
      "table.list th, table.list td:not(.message):not([colspan]), .facts dd:not(:has(.digest)), .tally li, .tag, .result",
    );
    for (const cell of cells) {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const { 0: word, index } of node.textContent.matchAll(/[^\s/:-]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
          if (lines.size > 1) found.push(`${word} in “${cell.textContent.slice(0, 60)}”`);
        }
      }
    }
    return found;
  });
}

export default async function ({ enter, world }) {
  const things = await furnish(periapt, charm);
  await periapt("deploy", charm("site"), LONG, "-n", "2");
  await periapt("wait-for", "application", LONG, "--timeout", "3m");
  const found = [];
  const { page } = await enter({ width: WIDTHS[0], height: 800 });
  await signIn(page, world);
  things.relation = await relation(page, world.model);
  things.run = await failedRun(page, world.model, things.unit);
  for (const place of pages(world.model, things)) {
    await page.setViewportSize({ width: WIDTHS[0], height: 800 });
    await visit(page, place);
    for (const width of WIDTHS) {
      await resize(page, width);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (overflow > 1) found.push(`${place[0]} at ${width}: ${overflow} px too wide`);
      for (const word of await broken(page)) found.push(`${place[0]} at ${width}: ${word}`);
    }
  }
  // The log: who wrote a line is told apart, and a message has room for words.
  await page.goto(`/models/${world.model}/logs?level=DEBUG`);
  const row = page.locator(".log-row").filter({ hasText: "/1" }).first();
  for (const width of WIDTHS) {
    await resize(page, width);
    await row.waitFor();
    const room = await row.locator(".log-message").evaluate((element) => element.getBoundingClientRect().width);
    check(room > 240, `a message of the log has ${room} px at ${width}`);
    const name = await row.locator(".log-entity .name-end").evaluate((element) => {
      const own = element.getBoundingClientRect();
      return { whole: own.right <= element.closest(".log-entity").getBoundingClientRect().right + 1, text: element.textContent };
    });
    check(name.whole && name.text.startsWith("/"), `the unit's number is cut at ${width}`);
  }
  check(found.length === 0, `broken words:\n${[...new Set(found)].join("\n")}`);
}
