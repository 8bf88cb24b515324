/** The tables of a model: sorted, narrowed, shared by their address, walked by the keyboard, changed in numbers. */
import { api, charm, check, periapt, signIn, unitRow, unitSays } from "../steps.mjs";

const rows = (page, mark) =>
  page.locator(`tr[data-${mark}]`).evaluateAll((found, mark) => found.map((row) => row.dataset[mark]), mark);

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Waits until it holds of the rows: the address changes a moment before they do. */
async function shows(page, holds, what) {
  let seen = [];
  for (let tries = 0; tries < 50; tries += 1) {
    seen = await rows(page, "unit");
    if (holds(seen)) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`${what}: ${seen}`);
}

/** What stands in the address of the page. */
const parameters = (page) => Object.fromEntries(new URL(page.url()).searchParams);

export default async function ({ enter, world }) {
  const { model } = world;
  const m = `/models/${model}`;
  await periapt("model-config", "automatically-retry-hooks=false");
  await periapt("deploy", charm("probe"), "probe", "-n", "2", "--config", "script=start: fail 1000");
  await periapt("deploy", charm("noop"), "fine", "-n", "2");
  await periapt("deploy", charm("noop"), "quiet");
  const idle = 'len(units) == 2 && forEach(units, unit => unit.agent-status=="idle")';
  await periapt("wait-for", "application", "fine", "--query", idle, "--timeout", "3m");

  const { page } = await enter();
  await signIn(page, world, `${m}?tab=units`);
  for (const unit of ["probe/0", "probe/1"]) await unitSays(page, unit, "error");
  await unitRow(page, "quiet/0").waitFor();
  // The browser's tab tells how many are in error, also while another one is looked at.
  await page.waitForFunction(() => {
    const picture = document.querySelector('link[rel="icon"]').getAttribute("href");
    return decodeURIComponent(picture).includes(">2</text>");
  });

  await sorts(page);
  await narrows(page, m, enter, world);
  await walks(page, m);
  await retries(page, m);
  await scales(page, m);
  await removesUnits(page, m);
  await machines(page, m, model);
  await onAPhone(enter, world, m);
}

async function sorts(page) {
  const byName = ["fine/0", "fine/1", "probe/0", "probe/1", "quiet/0"];
  check(same(await rows(page, "unit"), byName), `by name: ${await rows(page, "unit")}`);
  await page.getByRole("columnheader", { name: "Workload" }).getByRole("button").click();
  await page.waitForURL(/sort=status/);
  const failed = ["probe/0", "probe/1"];
  await shows(page, (units) => same(units.slice(0, 2), failed), "worst first");
  await page.getByRole("columnheader", { name: "Workload" }).getByRole("button").click();
  await page.waitForURL(/sort=-status/);
  await shows(page, (units) => same(units.slice(-2).toSorted(), failed), "best first");
}

/** By words and statuses, in the address; a view with a name, and another browser at the same address. */
async function narrows(page, m, enter, world) {
  await page.goto(`${m}?tab=units`);
  const chips = page.getByRole("list", { name: "Statuses" });
  await chips.getByRole("button", { name: "2 error" }).click();
  await page.waitForURL(/status=error/);
  await unitRow(page, "fine/0").waitFor({ state: "detached" });
  await page.getByLabel("Filter by name, status or message").fill("probe/1");
  await page.waitForURL(/q=probe%2F1/);
  await shows(page, (units) => same(units, ["probe/1"]), "narrowed");
  await page.getByRole("tab", { name: "Units 1 of 5" }).waitFor();

  await page.getByText("Views", { exact: true }).click();
  await page.getByLabel("Save this view as").fill("the broken one");
  await page.getByRole("button", { name: "Save view" }).click();
  const link = page.getByRole("link", { name: "the broken one" });
  const address = await link.getAttribute("href");
  await page.goto(m);
  await page.locator('tr[data-application="probe"]').waitFor();
  await page.getByText("Views", { exact: true }).click();
  await link.click();
  await unitRow(page, "probe/1").waitFor();
  check(same(parameters(page), { tab: "units", q: "probe/1", status: "error" }), `the view is ${page.url()}`);
  check((await page.getByLabel("Filter by name, status or message").inputValue()) === "probe/1", "the filter is empty");

  // The address is the view: whoever gets it sees the same, with a name or without.
  const other = await enter({ dark: true });
  await signIn(other.page, world, address);
  await unitRow(other.page, "probe/1").waitFor();
  check(same(await rows(other.page, "unit"), ["probe/1"]), "another browser sees something else");

  // Back returns to it from another page.
  await unitRow(page, "probe/1").getByRole("link", { name: "probe/1", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "probe/1" }).waitFor();
  await page.goBack();
  await unitRow(page, "probe/1").waitFor();
  check((await rows(page, "unit")).length === 1, "the filter is lost on Back");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await unitRow(page, "fine/0").waitFor();
}

/** Without a mouse: to the filter, into the rows, details beside them, and back. */
async function walks(page, m) {
  await page.goto(`${m}?tab=units`);
  await unitRow(page, "fine/0").waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.dataset.row ?? document.activeElement?.tagName);
  await page.keyboard.press("/");
  check((await focused()) === "INPUT", `/ came to ${await focused()}`);
  await page.keyboard.press("ArrowDown");
  check((await focused()) === "fine/0", `down from the filter: ${await focused()}`);
  await page.keyboard.press("End");
  check((await focused()) === "quiet/0", `End: ${await focused()}`);
  await page.keyboard.press("ArrowUp");
  check((await focused()) === "probe/1", `up: ${await focused()}`);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Details of probe/1" });
  await panel.getByRole("region", { name: "Failed hook" }).getByRole("button", { name: "Retry hook" }).waitFor();
  check(parameters(page).open === "probe/1", `details are not in the address: ${page.url()}`);
  check(await panel.evaluate((element) => element.contains(document.activeElement)), "the focus is not in the details");
  await panel.getByRole("button", { name: "Previous row" }).click();
  await page.getByRole("complementary", { name: "Details of probe/0" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary").waitFor({ state: "detached" });
  check((await focused()) === "probe/0", `after Escape: ${await focused()}`);
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+Space");
  await page.getByRole("toolbar", { name: "Selected units" }).getByText("2 units selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  // An address with details opens them.
  await page.goto(`${m}?tab=units&open=probe%2F0`);
  await page.getByRole("complementary", { name: "Details of probe/0" }).waitFor();
  await page.getByRole("button", { name: "Close details" }).click();
}

const pick = (page, mark, ...ids) =>
  ids.reduce(
    (before, id) => before.then(() => page.locator(`tr[data-${mark}="${id}"]`).getByRole("checkbox").check()),
    Promise.resolve(),
  );

/** Units whose hook failed run it again; one that is refused says why, and is tried again. */
async function retries(page, m) {
  await periapt("config", "probe", "script=start: status active mended");
  await page.goto(`${m}?tab=units`);
  await unitRow(page, "probe/1").waitFor();
  await pick(page, "unit", "probe/0", "probe/1", "fine/0");
  await page.route("**/units/probe/1/resolved", (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify({ status: 409, code: "busy", title: "Refused", detail: "somebody else was first", advice: "" }),
    }),
  );
  const dialog = page.getByRole("dialog");
  await page.getByRole("toolbar").getByRole("button", { name: "Retry hooks" }).click();
  await dialog.getByText("1 other unit without a failed hook").waitFor();
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await dialog.getByText("1 of 2 done, 1 refused").waitFor();
  await dialog.locator('[data-result="probe/1"]').getByText("Somebody else was first.").waitFor();
  await page.unroute("**/units/probe/1/resolved");
  await dialog.getByRole("button", { name: "Try the 1 again" }).click();
  await dialog.getByText("2 of 2 done").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  for (const unit of ["probe/0", "probe/1"]) await unitSays(page, unit, "active", "mended");
  await page.waitForFunction(() => document.querySelector('link[rel="icon"]').getAttribute("href") === "/favicon.svg");
}

async function scales(page, m) {
  await page.goto(m);
  await page.locator('tr[data-application="quiet"]').waitFor();
  await pick(page, "application", "fine", "quiet");
  const dialog = page.getByRole("dialog");
  await page.getByRole("toolbar").getByRole("button", { name: "Scale" }).click();
  await dialog.getByLabel("Units of each").fill("2");
  await dialog.getByText("stays at 2").waitFor();
  await dialog.getByText("from 1 to 2").waitFor();
  await dialog.getByRole("button", { name: "Scale", exact: true }).click();
  await dialog.getByText("1 of 1 done").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("tab", { name: /^Units/ }).click();
  await unitSays(page, "quiet/1", "idle");
}

async function removesUnits(page, m) {
  await page.goto(`${m}?tab=units&q=fine%2F`);
  await unitRow(page, "fine/1").waitFor();
  await page.getByLabel("Select all 2 units").check();
  const dialog = page.getByRole("dialog");
  await page.getByRole("toolbar").getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("that only they use").waitFor();
  const remove = dialog.getByRole("button", { name: "Remove 2 units" });
  check(await remove.isDisabled(), "removal without a word typed");
  await dialog.getByLabel("Type remove 2 to confirm").fill("remove 2");
  await remove.click();
  await dialog.getByText("2 of 2 done").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await unitRow(page, "fine/0").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Nothing matches this filter" }).waitFor();
}

async function machines(page, m, model) {
  const known = async () => (await api(page, "GET", `/v1/models/${model}/machines`)).items.map(({ id }) => id);
  await page.goto(`${m}?tab=machines`);
  await page.getByRole("button", { name: "Add machines" }).waitFor();
  const before = await known();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add machines" }).click();
  await dialog.getByLabel("Machines", { exact: true }).fill("101");
  await dialog.getByText("A number from 1 to 100").waitFor();
  await dialog.getByLabel("Machines", { exact: true }).fill("1");
  await dialog.getByRole("button", { name: "Add 1 machine" }).click();
  await dialog.waitFor({ state: "detached" });
  const added = (await known()).filter((id) => !before.includes(id));
  check(added.length === 1, `added: ${added}`);
  const row = page.locator(`tr[data-machine="${added[0]}"]`);
  await row.filter({ hasText: "started" }).waitFor();

  // One on which units run is refused in the controller's words, and goes by force with them.
  const used = (await api(page, "GET", `/v1/models/${model}/units/quiet/0`)).machine;
  await pick(page, "machine", used);
  await page.getByRole("toolbar").getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("a machine with units is refused").waitFor();
  await dialog.getByLabel(/to confirm/).fill(used);
  await dialog.getByRole("button", { name: "Remove machine" }).click();
  await dialog.getByText("0 of 1 done, 1 refused").waitFor();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.keyboard.press("Escape");

  await row.getByRole("button", { name: /^Details of/ }).click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Remove" }).click();
  await dialog.getByLabel(/to confirm/).fill(added[0]);
  await dialog.getByRole("button", { name: "Remove machine" }).click();
  await dialog.getByText("1 of 1 done").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await row.waitFor({ state: "detached" });
}

/** Cards instead of columns: nothing is out of sight to the side, and the order can be chosen. */
async function onAPhone(enter, world, m) {
  const { page } = await enter({ width: 390, height: 844, dark: true });
  await signIn(page, world, `${m}?tab=units`);
  await unitRow(page, "probe/0").waitFor();
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check((await wide()) <= 1, `${await wide()} px too wide`);
  await page.getByLabel("Sort by").selectOption("status");
  await page.waitForURL(/sort=status/);
  await pick(page, "unit", "probe/0");
  await page.getByRole("toolbar", { name: "Selected units" }).waitFor();
  check((await wide()) <= 1, `with a selection ${await wide()} px too wide`);
  await unitRow(page, "probe/0").getByRole("button", { name: "Details of probe/0" }).click();
  const panel = page.getByRole("complementary");
  await panel.waitFor();
  const box = await panel.boundingBox();
  check(box.x <= 0.5 && box.width <= 390.5, `the details lie at ${JSON.stringify(box)}`);
  check((await wide()) <= 1, `with details ${await wide()} px too wide`);
}
