/**
 * A picture of every page and dialog, wide and as on a phone, light and dark; and of what goes wrong: wrong
 * input, what is refused, a model with nothing in it, one with 2,000 units, a controller that is gone.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dialogs, fillWrongly, invalid, open } from "../dialogs.mjs";
import { failedRun, furnish, pages, relation, visit } from "../pages.mjs";
import { charm, check, crowd, periapt, signIn } from "../steps.mjs";

const LOOKS = [
  { width: 1280, height: 900, dark: false },
  { width: 390, height: 844, dark: false },
  { width: 1280, height: 900, dark: true },
  { width: 390, height: 844, dark: true },
];

const UNITS = 2000;
const APPLICATIONS = 4;

/** Machines with units on them are refused without force: a dialog with results. */
async function refused(page, model) {
  const dialog = await open(page, {
    name: "refused",
    place: ["machines", `/models/${model}?tab=machines`, model],
    button: { all: "machine", button: "Remove…" },
  });
  const confirm = dialog.getByLabel(/to confirm/);
  const label = await dialog.locator("label").filter({ hasText: "to confirm" }).innerText();
  await confirm.fill(/Type (.+) to confirm/.exec(label)[1]);
  await dialog.getByRole("button", { name: /^Remove/ }).click();
  await dialog.getByText(/\d+ refused/).first().waitFor();
  await dialog.getByRole("button", { name: /^Try the/ }).waitFor();
}

export default async function ({ enter, world }) {
  const things = process.env.PERIAPT_FURNISHED
    ? JSON.parse(process.env.PERIAPT_FURNISHED)
    : await furnish(periapt, charm);
  await periapt("add-model", "bare");
  await periapt("add-model", "crowd");
  await crowd("crowd", UNITS, APPLICATIONS);
  const directory =
    process.env.PERIAPT_SCREENSHOTS ??
    fileURLToPath(new URL("../../../target/screenshots", import.meta.url));
  mkdirSync(directory, { recursive: true });
  const wide = [];
  const last = [];
  for (const look of LOOKS) {
    const { width, dark } = look;
    const { page } = await enter(look);
    const suffix = `${width}${dark ? "-dark" : ""}`;
    const picture = (name, fullPage = false) => page.screenshot({ path: `${directory}/${name}-${suffix}.png`, fullPage });
    const fits = async (name) => {
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (overflow > 1) wide.push(`${name} at ${width}: ${overflow} px too wide`);
    };
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await picture("sign-in");
    await page.getByLabel("User", { exact: true }).fill(world.user);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await picture("sign-in-refused");
    await signIn(page, world);
    things.relation = await relation(page, world.model);
    things.run = await failedRun(page, world.model, things.unit);
    for (const place of [
      ...pages(world.model, things),
      ["empty", "/models/bare", "bare"],
      ["empty-charms", "/models/bare/charms", "bare"],
      ["empty-relations", "/models/bare/relations", "bare"],
      ["crowd", "/models/crowd?tab=units", "crowd"],
      ["crowd-machines", "/models/crowd?tab=machines", "crowd"],
      ["crowd-application", "/models/crowd/applications/app0", "app0"],
    ]) {
      await visit(page, place);
      await fits(place[0]);
      // All of a crowd is a picture of nothing but gaps.
      await picture(place[0], !place[0].startsWith("crowd"));
    }
    for (const each of dialogs(world.model, things)) {
      await open(page, each);
      await fits(each.name);
      await picture(each.name);
    }
    for (const each of invalid(world.model, things.application)) {
      await fillWrongly(await open(page, each), each);
      await picture(each.name);
    }
    await refused(page, world.model);
    await picture("refused");
    if (width < 500) {
      await visit(page, ["menu", "/models", "Models"]);
      await page.getByRole("button", { name: "Menu" }).click();
      await picture("menu");
    }
    await visit(page, ["units", `/models/${world.model}?tab=units`, world.model]);
    last.push({ page, picture });
  }
  await periapt("controller", "stop");
  for (const { page, picture } of last) {
    await page.getByText(/^Stale since/).waitFor();
    await picture("stale");
  }
  await periapt("controller", "start");
  console.log(`pictures in ${directory}`);
  check(wide.length === 0, `pages that scroll sideways:\n${wide.join("\n")}`);
}
