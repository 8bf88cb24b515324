/** Storage is added, detached, attached and removed, and what becomes of it is said before a unit goes; wide, on a phone and in the dark. */
import { serious } from "../axe.mjs";
import { visit } from "../pages.mjs";
import { api, charm, check, enterAs, mark, neverReloaded, periapt, signIn } from "../steps.mjs";

const row = (page, id) => page.locator(`tr[data-storage="${id}"]`);

const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true });

async function opened(page, button) {
  await page.getByRole("button", { name: button, exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  return dialog;
}

async function answered(dialog, button) {
  await dialog.getByRole("button", { name: button, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Nothing sticks out, in the page or its dialog, and axe finds nothing. */
async function sound(page, name, how) {
  const over = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("dialog")].map((each) => each.scrollWidth - each.clientWidth),
  );
  check(over.every((pixels) => pixels <= 1), `${name} ${how} is ${over} px too wide`);
  const bare = await page.locator("table.list tbody td:not([data-label]):not([colspan])").count();
  check(bare === 0, `${name}: ${bare} cells do not say what they are on a phone`);
  const found = await serious(page);
  check(found.length === 0, `axe-core found on ${name} ${how}:\n${found.join("\n")}`);
}

/** A unit is given a second one, which shows before one's eyes. */
async function adds(page, world) {
  await visit(page, ["the unit", `/models/${world.model}/units/app/0?view=storage`, "app/0"]);
  await row(page, "data/0").getByText("attached").waitFor();
  await mark(page);
  const dialog = await opened(page, "Add storage");
  await dialog.getByLabel("Size", { exact: true }).fill("many");
  await dialog.getByText("A number with its unit").waitFor();
  await dialog.getByLabel("Storage", { exact: true }).selectOption("data");
  await dialog.getByLabel("Size", { exact: true }).fill("64M");
  await answered(dialog, "Add storage");
  await row(page, "data/1").getByText("attached").waitFor();
  check(await neverReloaded(page), "the page was loaded anew");
}

async function moves(page, world) {
  await periapt("exec", "--unit", "app/0", "--", "storage-write", "data/1", "note", "kept");
  await visit(page, ["the storage", `/models/${world.model}/storage/data/1`, "data/1"]);
  await page.locator('tr[data-unit="app/0"]').getByText("/storage/data/1").waitFor();
  await mark(page);
  await answered(await opened(page, "Detach"), "Detach");
  await page.getByRole("heading", { name: "No unit has it" }).waitFor();
  await page.getByText("detached", { exact: true }).first().waitFor();
  const dialog = await opened(page, "Attach");
  await dialog.getByLabel("Unit", { exact: true }).selectOption("app/1");
  await answered(dialog, "Attach");
  await page.locator('tr[data-unit="app/1"]').waitFor();
  await page.getByText("attached", { exact: true }).first().waitFor();
  check(await neverReloaded(page), "the page was loaded anew");
  await periapt("wait-for", "unit", "app/1", "--timeout", "3m");
  const read = await periapt("exec", "--unit", "app/1", "--", "storage-read", "data/1", "note");
  check(read.trim() === "kept", `the unit reads ${read}`);
}

async function makesPools(page, world) {
  await visit(page, ["storage", `/models/${world.model}/storage`, world.model]);
  const pool = page.locator('tr[data-pool="plain"]');
  const dialog = await opened(page, "Create pool");
  await dialog.getByLabel("Name", { exact: true }).fill("1st");
  await dialog.getByText("A letter, then letters").waitFor();
  await dialog.getByLabel("Name", { exact: true }).fill("plain");
  await dialog.getByLabel("Provider", { exact: true }).selectOption("rootfs");
  await answered(dialog, "Create pool");
  await pool.getByText("rootfs", { exact: true }).waitFor();
  await pool.getByRole("button", { name: /^Remove/ }).click();
  await answered(page.getByRole("dialog"), "Remove pool");
  await pool.waitFor({ state: "detached" });
}

/** What becomes of storage is said and chosen before its unit goes. */
async function goes(page, world) {
  await visit(page, ["the unit", `/models/${world.model}/units/app/1`, "app/1"]);
  const dialog = await opened(page, "Remove");
  await dialog.getByText("detached and kept:").waitFor();
  await dialog.getByLabel(/^Also destroy the storage/).check();
  await dialog.getByText("destroyed with its contents:").waitFor();
  await dialog.getByText("--destroy-storage").waitFor();
  await dialog.getByLabel(/^Type/).fill("app/1");
  await answered(dialog, "Remove unit");
  await visit(page, ["storage", `/models/${world.model}/storage`, world.model]);
  await row(page, "data/1").waitFor({ state: "detached" });

  await row(page, "data/0").getByRole("link", { name: "data/0", exact: true }).click();
  await heading(page, "data/0").waitFor();
  const removal = await opened(page, "Remove");
  await removal.getByText("It is detached from").waitFor();
  await removal.getByLabel("Keep its directory").check();
  await removal.getByText("can be imported as").waitFor();
  await removal.getByLabel("Keep its directory").uncheck();
  await removal.getByLabel(/^Type/).fill("data/0");
  await answered(removal, "Remove storage");
  await heading(page, world.model).waitFor();
  await page.getByRole("heading", { name: "No storage" }).waitFor();
  await visit(page, ["gone", `/models/${world.model}/storage/data/0`, "data/0"]);
  await page.getByRole("heading", { name: `There is no storage data/0 in ${world.model}` }).waitFor();
}

/** Who deploys says what units are given. */
async function deploys(page, world) {
  const charm = encodeURIComponent("local:probe-0");
  await visit(page, ["deploy", `/models/${world.model}/deploy?charm=${charm}`, "Deploy"]);
  await page.getByLabel("Application name", { exact: true }).fill("given");
  const number = page.getByLabel("data: number", { exact: true });
  await number.fill("many");
  await page.getByText("A whole number from 1").waitFor();
  check(await page.getByRole("button", { name: "Deploy", exact: true }).isDisabled(), "many are no number");
  await number.fill("1");
  await page.getByLabel("data: size", { exact: true }).fill("32M");
  await page.getByLabel("data: pool", { exact: true }).selectOption("rootfs");
  await sound(page, "the form", "wide");
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await heading(page, "given").waitFor();
  await periapt("wait-for", "unit", "given/0", "--query", 'agent-status=="idle"', "--timeout", "3m");
  const { storage } = JSON.parse(await periapt("storage", "--format", "json"));
  const [id] = Object.keys(storage).filter((each) => storage[each].owner === "given/0");
  const shown = JSON.parse(await periapt("show-storage", id, "--format", "json"))[id];
  check(shown.size === 32 && shown.pool === "rootfs", `the unit was given ${JSON.stringify(shown)}`);
}

/** Who may only read sees what there is, and changes nothing. */
async function reads(enter, page, world) {
  const reader = await enterAs(enter, page, "carol");
  await api(page, "PUT", `/v1/models/${world.model}/access/carol`, { access: "read" });
  await signIn(reader.page, { ...world, user: reader.user, password: reader.password });
  const buttons = reader.page.getByRole("button", { name: /^(Import|Create pool|Attach|Detach|Remove|Add storage)/ });
  for (const place of [
    ["storage", `/models/${world.model}/storage`, world.model],
    ["the storage", `/models/${world.model}/storage/data/0`, "data/0"],
    ["the unit", `/models/${world.model}/units/app/0?view=storage`, "app/0"],
  ]) {
    await visit(reader.page, place);
    await reader.page.getByText("data/0").first().waitFor();
    check((await buttons.count()) === 0, `a reader can change something on ${place[0]}`);
  }
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("probe"), "app", "--config", "script=start: status active ready", "--storage", "data=1");
  await periapt("wait-for", "application", "app", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  await adds(page, world);
  await periapt("add-unit", "app");
  await periapt("wait-for", "application", "app", "--timeout", "3m");
  await moves(page, world);
  await reads(enter, page, world);
  await makesPools(page, world);

  const places = [
    ["storage", `/models/${world.model}/storage`, world.model],
    ["the storage", `/models/${world.model}/storage/data/0`, "data/0"],
    ["the unit's", `/models/${world.model}/units/app/0?view=storage`, "app/0"],
  ];
  for (const [width, dark] of [[1280, false], [360, false], [1280, true]]) {
    const other = await enter({ width, height: 800, dark });
    const how = `at ${width}${dark ? " in the dark" : ""}`;
    await signIn(other.page, world);
    for (const place of places) {
      await visit(other.page, place);
      await sound(other.page, place[0], how);
    }
    await visit(other.page, places[0]);
    await opened(other.page, "Import");
    await sound(other.page, "the dialog", how);
  }
  await periapt("remove-storage", "data/2", "--force");
  await row(page, "data/2").waitFor({ state: "detached" });
  await goes(page, world);
  await deploys(page, world);
}
