/** A picture of every page, wide and narrow, light; the overview in the dark too. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dialogs, fillWrongly, furnish, hookRun, invalid, open, pages, relation, visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const things = process.env.PERIAPT_FURNISHED
    ? JSON.parse(process.env.PERIAPT_FURNISHED)
    : await furnish(periapt, charm);
  const directory =
    process.env.PERIAPT_SCREENSHOTS ??
    fileURLToPath(new URL("../../../target/screenshots", import.meta.url));
  mkdirSync(directory, { recursive: true });
  const wide = [];
  for (const { width, dark } of [
    { width: 1280, dark: false },
    { width: 360, dark: false },
    { width: 1280, dark: true },
  ]) {
    const { page } = await enter({ width, height: width === 360 ? 780 : 900, dark });
    const suffix = `${width}${dark ? "-dark" : ""}`;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.screenshot({ path: `${directory}/sign-in-${suffix}.png` });
    await signIn(page, world);
    things.relation = await relation(page, world.model);
    things.run = await hookRun(page, world.model, "hook=start&result=failed");
    for (const place of pages(world.model, things)) {
      await visit(page, place);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (overflow > 1) wide.push(`${place[0]} at ${width}: ${overflow} px too wide`);
      await page.screenshot({ path: `${directory}/${place[0]}-${suffix}.png`, fullPage: true });
    }
    for (const each of dialogs(world.model, things)) {
      await open(page, each);
      await page.screenshot({ path: `${directory}/${each.name}-${suffix}.png` });
    }
    for (const each of invalid(world.model, things.application)) {
      await fillWrongly(await open(page, each), each);
      await page.screenshot({ path: `${directory}/${each.name}-${suffix}.png` });
    }
  }
  console.log(`pictures in ${directory}`);
  check(wide.length === 0, `pages that scroll sideways:\n${wide.join("\n")}`);
}
