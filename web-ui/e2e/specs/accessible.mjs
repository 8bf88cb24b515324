/** axe-core finds nothing serious on any page, light and dark; `/` and the keyboard work. */
import { serious } from "../axe.mjs";
import { dialogs, fillWrongly, invalid, open } from "../dialogs.mjs";
import { failedRun, furnish, pages, relation, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

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
    things.run = await failedRun(page, world.model, things.unit);
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
