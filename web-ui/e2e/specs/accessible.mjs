/** axe-core finds nothing serious on any page, light and dark; `/` and the keyboard work. */
import { seriousInEitherTheme } from "../axe.mjs";
import { dialogs, fillWrongly, invalid, open } from "../dialogs.mjs";
import { failedRun, furnish, pages, relation, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const things = process.env.PERIAPT_FURNISHED
    ? JSON.parse(process.env.PERIAPT_FURNISHED)
    : await furnish(periapt, charm);
  const found = [];
  const { page } = await enter();
  const look = async (name) => {
    for (const line of await seriousInEitherTheme(page)) found.push(`${name}: ${line}`);
  };
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await look("sign-in");
  await signIn(page, world);
  things.relation = await relation(page, world.model);
  things.run = await failedRun(page, world.model, things.unit);
  for (const place of pages(world.model, things)) {
    await visit(page, place);
    await look(place[0]);
  }
  for (const each of dialogs(world.model, things)) {
    await open(page, each);
    await look(each.name);
  }
  for (const each of invalid(world.model, things.application)) {
    await fillWrongly(await open(page, each), each);
    await look(each.name);
  }
  await page.goto("/models");
  await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(things.application);
  await page.getByRole("option", { name: new RegExp(`application.*${things.application}`) }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: things.application, exact: true }).waitFor();
  check(found.length === 0, `axe-core found:\n${[...new Set(found)].join("\n")}`);
}
