/** What axe-core finds on a page. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What keeps somebody from using the page. */
export async function serious(page) {
  // Evaluated by the debugger, not by the page: its policy forbids scripts from elsewhere.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
  });
}
