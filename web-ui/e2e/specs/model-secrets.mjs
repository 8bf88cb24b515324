/** A secret is added, granted, changed, revealed and removed; wide, on a phone and in the dark. */
import { serious } from "../axe.mjs";
import { visit } from "../pages.mjs";
import { api, charm, check, enterAs, mark, neverReloaded, periapt, signIn } from "../steps.mjs";

const VALUE = "four-unlikely-words-3301";

const facts = (page) => page.locator(".facts").first();

const revision = (page, number) => page.locator(`tr[data-revision="${number}"]`);

async function opened(page, button) {
  await page.getByRole("button", { name: button, exact: true }).click();
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

/** Returns the id. */
async function adds(page, world) {
  await visit(page, ["secrets", `/models/${world.model}/secrets`, world.model]);
  await page.getByRole("heading", { name: "No secrets" }).waitFor();
  const dialog = await opened(page, "Add secret");
  await dialog.getByLabel("Name", { exact: true }).fill("database");
  await dialog.getByLabel("Description", { exact: true }).fill("of the shop");
  await dialog.getByLabel("Key 1", { exact: true }).fill("p");
  await dialog.getByText("At least 3 lower-case letters").waitFor();
  await dialog.getByLabel("Key 1", { exact: true }).fill("password");
  await dialog.getByLabel("Value 1", { exact: true }).fill(VALUE);
  await answered(dialog, "Add secret");
  await page.getByRole("heading", { level: 1, name: "database", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Not granted to any application" }).waitFor();
  return new URL(page.url()).pathname.split("/").at(-1);
}

async function grants(page, id) {
  await mark(page);
  const dialog = await opened(page, "Grant");
  await dialog.getByLabel("app", { exact: true }).check();
  await answered(dialog, "Grant");
  await page.getByRole("table", { name: "Grants" }).getByRole("link", { name: "app", exact: true }).waitFor();
  const read = await periapt("exec", "--unit", "app/0", "--", "secret-get", `secret:${id}`);
  check(read.includes(VALUE), `the unit reads ${read}`);
  await revision(page, 1).getByRole("link", { name: "app/0", exact: true }).waitFor();
}

async function updates(page) {
  const dialog = await opened(page, "Update");
  check(await dialog.getByRole("button", { name: "Update secret" }).isDisabled(), "nothing is to change, and is sent");
  await dialog.getByLabel("Key 1", { exact: true }).fill("password");
  await dialog.getByLabel("Value 1", { exact: true }).fill(`${VALUE}-again`);
  await answered(dialog, "Update secret");
  await revision(page, 2).waitFor();
  check(await neverReloaded(page), "the page was loaded anew");
}

/** Values are there after a question, and gone when the dialog is, or the page. */
async function reveals(page, world) {
  const seen = () => page.getByText(VALUE, { exact: true });
  await revision(page, 1).getByRole("button", { name: /^Reveal/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The audit log records").waitFor();
  check((await page.evaluate(() => document.activeElement?.textContent)) === "Cancel", "the focus is not on what changes nothing");
  check((await seen().count()) === 0, "the value is there before it was asked for");
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await seen().waitFor();
  await dialog.getByText(/^Hidden again in \d+ s\.$/).waitFor();
  await sound(page, "the values", "when shown");
  await answered(dialog, "Hide now");
  check((await seen().count()) === 0, "the value is still there");

  await revision(page, 1).getByRole("button", { name: /^Reveal/ }).click();
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await seen().waitFor();
  const path = new URL(page.url()).pathname;
  await page.goto("/account");
  await page.goBack();
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole("heading", { level: 1, name: "database", exact: true }).waitFor();
  check((await seen().count()) === 0, "the value came back with the page");

  await visit(page, ["audit", `/models/${world.model}/audit`, world.model]);
  await page.getByText(/revealed secret/).first().waitFor();
}

async function takesBack(page, world, id) {
  const place = ["secret", `/models/${world.model}/secrets/${id}`, "database"];
  await visit(page, place);
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await answered(page.getByRole("dialog"), "Revoke");
  await page.getByRole("heading", { name: "Not granted to any application" }).waitFor();
  await revision(page, 1).getByRole("button", { name: /^Remove/ }).click();
  await answered(page.getByRole("dialog"), "Remove revision");
  await revision(page, 1).waitFor({ state: "detached" });
  const dialog = await opened(page, "Remove");
  await dialog.getByLabel(/^Type/).fill("database");
  await answered(dialog, "Remove secret");
  await page.getByRole("heading", { level: 1, name: world.model, exact: true }).waitFor();
  await visit(page, ["gone", `/models/${world.model}/secrets/${id}`, id]);
  await page.getByRole("heading", { name: `There is no secret ${id} in ${world.model}` }).waitFor();
}

/** Who may only read sees that there are secrets, and changes and reveals none. */
async function reads(enter, page, world, id) {
  const reader = await enterAs(enter, page, "carol");
  await api(page, "PUT", `/v1/models/${world.model}/access/carol`, { access: "read" });
  await signIn(reader.page, { ...world, user: reader.user, password: reader.password });
  await visit(reader.page, ["secret", `/models/${world.model}/secrets/${id}`, "database"]);
  await revision(reader.page, 1).waitFor();
  const buttons = reader.page.getByRole("button", { name: /^(Reveal|Grant|Update|Remove|Revoke)/ });
  check((await buttons.count()) === 0, "a reader can change or reveal a secret");
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("probe"), "app", "--config", "script=start: status active ready");
  await periapt("wait-for", "application", "app", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  const id = await adds(page, world);
  await grants(page, id);
  await updates(page);
  await facts(page).getByText(id, { exact: true }).waitFor();
  await reads(enter, page, world, id);
  await reveals(page, world);

  const added = await periapt("exec", "--unit", "app/0", "--", "secret-add", "unit", "token=own", "label=of-its-own", "rotate=daily");
  const own = added.trim().replace("secret:", "");
  const places = [
    ["the secrets", `/models/${world.model}/secrets`, world.model],
    ["the secret", `/models/${world.model}/secrets/database`, "database"],
    ["a charm's secret", `/models/${world.model}/secrets/${own}`, "of-its-own"],
    ["the application's", `/models/${world.model}/applications/app/secrets`, "app"],
    ["the controller", "/controller", "Controller"],
  ];
  for (const [width, dark] of [[1280, false], [360, false], [1280, true]]) {
    const other = await enter({ width, height: 800, dark });
    const how = `at ${width}${dark ? " in the dark" : ""}`;
    await signIn(other.page, world);
    for (const place of places) {
      await visit(other.page, place);
      await sound(other.page, place[0], how);
    }
    await other.page.locator('tr[data-backend="internal"]').getByText("active").first().waitFor();
    await visit(other.page, places[0]);
    const dialog = await opened(other.page, "Add secret");
    await dialog.getByRole("button", { name: "Another value" }).click();
    await sound(other.page, "the dialog", how);
  }
  await visit(page, places[3]);
  for (const name of ["Secrets of app", "Secrets granted to app"]) await page.getByRole("table", { name }).waitFor();
  await visit(page, places[2]);
  check((await page.getByRole("button", { name: "Update", exact: true }).count()) === 0, "a charm's secret can be changed");
  await takesBack(page, world, id);
}
