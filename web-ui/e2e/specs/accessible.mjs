/** axe-core finds nothing serious on any page, light and dark; `/` and the keyboard work. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dialogs, fillWrongly, furnish, invalid, open, pages, relation, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function serious(page) {
  // Evaluated by the debugger, not by the page: its policy forbids scripts from elsewhere.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
  });
}

export default async function ({ enter, world }) {
  const things = process.env.PERIAPT_FURNISHED
    ? JSON.parse(process.env.PERIAPT_FURNISHED)
    : await furnish(periapt, charm);
  const found = [];
  for (const dark of [false, true]) {
    const { page } = await enter({ dark });
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    for (const line of await serious(page)) found.push(`sign-in: ${line}`);
    await signIn(page, world);
    things.relation = await relation(page, world.model);
    for (const place of pages(world.model, things)) {
      await visit(page, place);
      for (const line of await serious(page)) found.push(`${place[0]}${dark ? " (dark)" : ""}: ${line}`);
    }
    for (const each of dialogs(world.model, things)) {
      await open(page, each);
      for (const line of await serious(page)) found.push(`${each.name}${dark ? " (dark)" : ""}: ${line}`);
    }
    for (const each of invalid(world.model, things.application)) {
      await fillWrongly(await open(page, each), each);
      for (const line of await serious(page)) found.push(`${each.name}${dark ? " (dark)" : ""}: ${line}`);
    }
    if (dark) continue;
    await page.goto("/models");
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(things.application);
    await page.getByRole("option", { name: new RegExp(`application.*${things.application}`) }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: things.application, exact: true }).waitFor();
  }
  check(found.length === 0, `axe-core found:\n${[...new Set(found)].join("\n")}`);
}
