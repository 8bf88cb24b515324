/** What axe-core finds on a page. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What keeps somebody from using the page: by all rules, or by those named. */
export async function serious(page, rules = null) {
  // Evaluated by the debugger, not by the page: its policy forbids scripts from elsewhere.
  await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const only = rules && { runOnly: { type: "rule", values: rules } };
    // What lies behind an open dialog has been looked at without it.
    const shown = document.querySelector("dialog[open]") ?? document;
    const { violations } = await globalThis.axe.run(shown, { resultTypes: ["violations"], ...only });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
  }, rules);
}

/** The same, in light and in dark. Dark has other colours and nothing else of its own. */
export async function seriousInEitherTheme(page) {
  const light = await serious(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await serious(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((line) => `dark: ${line}`)];
}
