/** An action is run from a form, watched, cancelled and run again; wide, on a phone and in the dark. */
import { serious } from "../axe.mjs";
import { visit } from "../pages.mjs";
import { api, charm, check, enterAs, mark, neverReloaded, periapt, signIn } from "../steps.mjs";

/** The section of a task on the page of its operation. */
const taskOn = (page, unit) => page.getByRole("region", { name: new RegExp(`^Task \\d+ on ${unit}$`) });

/** The dialog of the action, from the page that is shown. */
async function openRebuild(page) {
  await page.getByRole("button", { name: "Run rebuild" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("pages", { exact: true }).waitFor();
  return dialog;
}

/** Answers the dialog; returns the number of the operation to which it leads. */
async function started(page, dialog) {
  const before = page.url();
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(({ href, pathname }) => href !== before && /\/operations\/\d+$/.test(pathname));
  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  await page.getByRole("heading", { level: 1, name: `Operation ${id}`, exact: true }).waitFor();
  return id;
}

/** The status beside the title. */
async function operationIs(page, status) {
  await page.locator(".page-head__title").getByText(status, { exact: true }).waitFor();
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

/** What is wrong stands beside its field, before anything is sent and after the controller refused it. */
async function refuses(page) {
  let sent = 0;
  const count = (request) => {
    if (request.method() === "POST" && request.url().endsWith("/operations")) sent += 1;
  };
  page.on("request", count);
  const dialog = await openRebuild(page);
  check((await dialog.getByLabel("pages", { exact: true }).inputValue()) === "1", "pages does not show its default");
  check((await dialog.getByLabel("dry-run", { exact: true }).inputValue()) === "false", "dry-run does not show its default");
  const focused = await page.evaluate(() => document.activeElement?.closest("dialog") !== null);
  check(focused, "the dialog does not have the focus");
  await dialog.getByLabel("pages", { exact: true }).fill("101");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  const field = dialog.getByLabel("pages", { exact: true });
  check((await field.getAttribute("aria-invalid")) === "true", "101 pages are not wrong");
  check(await field.evaluate((element) => element === document.activeElement), "the focus is not on what is wrong");
  check(sent === 0, "what is wrong was sent");

  const detail = 'action "rebuild" of "site": pages: 100 is greater than the maximum of 99';
  const refusal = { status: 400, code: "action-parameters-invalid", title: "The request is not valid", detail };
  await page.route("**/operations", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 400, json: refusal }) : route.continue(),
  );
  await field.fill("100");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.getByText("100 is greater than the maximum of 99.").waitFor();
  await page.unroute("**/operations");
  page.off("request", count);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

/** Runs on all units; their lines and results are there, also for who comes later. */
async function runs(page, world) {
  const dialog = await openRebuild(page);
  await dialog.getByLabel("title-suffix", { exact: true }).fill("of today");
  await dialog.getByLabel("pages", { exact: true }).fill("3");
  await dialog.getByLabel("All 2 units").check();
  const id = await started(page, dialog);
  for (const reloaded of [false, true]) {
    if (reloaded) await page.reload();
    await operationIs(page, "completed");
    for (const unit of ["site/0", "site/1"]) {
      const task = taskOn(page, unit);
      await task.getByRole("log").getByText(/\S/).first().waitFor();
      await task.getByRole("heading", { name: "Results" }).waitFor();
      await task.locator("dt", { hasText: /^built$/ }).waitFor();
      check((await task.locator("div:has(> dt:text-is('built')) > dd").innerText()) === "2", "a site has two pages, however many it is asked for");
      await task.getByText("of today", { exact: true }).waitFor();
    }
  }
  await taskOn(page, "site/1").getByRole("link", { name: "site/1" }).click();
  await page.getByRole("heading", { level: 1, name: "site/1", exact: true }).waitFor();
  await page.getByRole("option", { name: /^action rebuild, ok/ }).first().waitFor({ state: "attached" });

  await page.goto(`/models/${world.model}/operations/${id}`);
  await page.getByRole("button", { name: "Run again" }).click();
  const again = page.getByRole("dialog");
  await again.getByLabel("pages", { exact: true }).waitFor();
  check((await again.getByLabel("pages", { exact: true }).inputValue()) === "3", "pages is not as it was");
  check((await again.getByLabel("title-suffix", { exact: true }).inputValue()) === "of today", "the suffix is not as it was");
  await again.getByLabel("Some units").check();
  await again.getByLabel("site/0", { exact: true }).check();
  await again.getByLabel("site/1", { exact: true }).uncheck();
  check((await started(page, again)) > id, "it was not run again");
  await operationIs(page, "completed");
  check((await page.locator("[data-task]").count()) === 1, "it ran on other units too");
  return id;
}

/** What others run appears in the list, which filters by its address. */
async function lists(page, world) {
  const operations = `/v1/models/${world.model}/operations`;
  await visit(page, ["operations", `/models/${world.model}/operations`, world.model]);
  await mark(page);
  const { id } = await api(page, "POST", operations, { action: "rebuild", units: ["site/leader"] });
  const row = page.locator(`tr[data-operation="${id}"]`);
  await row.filter({ hasText: "completed" }).waitFor();
  check((await page.locator("tr[data-operation]").first().getAttribute("data-operation")) === String(id), "not the newest first");
  check(await neverReloaded(page), "the page was loaded anew");
  await page.getByLabel("Status", { exact: true }).selectOption("failed");
  await page.getByRole("heading", { name: "No matching operations" }).waitFor();
  check(new URL(page.url()).search === "?status=failed", "the filter is not in the address");
}

/** A task of a unit whose agent is stopped waits, and is taken back after a question. */
async function cancels(page, world) {
  await periapt("stop-unit", "site/1");
  await page.goto(`/models/${world.model}/units/site/1?view=actions`);
  await started(page, await openRebuild(page));
  await operationIs(page, "pending");
  const task = taskOn(page, "site/1");
  await task.getByText("It waits for its turn on site/1.").waitFor();
  await task.getByRole("button", { name: /^Cancel task/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It will not start on").waitFor();
  check((await page.evaluate(() => document.activeElement?.textContent)) === "Let it run", "the focus is not on what changes nothing");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await operationIs(page, "pending");
  await task.getByRole("button", { name: /^Cancel task/ }).click();
  await dialog.getByRole("button", { name: "Cancel task", exact: true }).click();
  await operationIs(page, "cancelled");
  check((await page.getByRole("button", { name: /^Cancel/ }).count()) === 0, "what has ended can be cancelled");
  await periapt("start-unit", "site/1");
}

/** Who may only read sees what can be run, and what was, and runs nothing. */
async function reads(enter, page, world, id) {
  const reader = await enterAs(enter, page, "carol");
  await api(page, "PUT", `/v1/models/${world.model}/access/carol`, { access: "read" });
  await signIn(reader.page, { ...world, user: reader.user, password: reader.password });
  await visit(reader.page, ["actions", `/models/${world.model}/applications/site/actions`, "site"]);
  await reader.page.getByRole("table", { name: "Actions" }).waitFor();
  check((await reader.page.getByRole("button", { name: /^Run/ }).count()) === 0, "a reader can run");
  await reader.page.goto(`/models/${world.model}/operations/${id}`);
  await operationIs(reader.page, "completed");
  check((await reader.page.getByRole("button", { name: /^Run/ }).count()) === 0, "a reader can run again");
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("site"), "site", "-n", "2");
  await periapt("deploy", charm("noop"), "quiet");
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  const actions = ["actions", `/models/${world.model}/applications/site/actions`, "site"];
  await visit(page, actions);
  const row = page.locator('tr[data-action="rebuild"]');
  await row.getByText(/title-suffix/).waitFor();
  await refuses(page);
  const id = await runs(page, world);
  await lists(page, world);
  await cancels(page, world);
  await reads(enter, page, world, id);

  await visit(page, ["none", `/models/${world.model}/applications/quiet/actions`, "quiet"]);
  await page.getByRole("heading", { name: "This charm has no actions" }).waitFor();
  await visit(page, ["missing", `/models/${world.model}/operations/999999`, "Operation 999999"]);
  await page.getByRole("heading", { name: "There is no operation 999999" }).waitFor();

  for (const [width, dark] of [[1280, false], [360, false], [1280, true]]) {
    const other = await enter({ width, height: 800, dark });
    const how = `at ${width}${dark ? " in the dark" : ""}`;
    await signIn(other.page, world);
    await visit(other.page, actions);
    await sound(other.page, "the actions", how);
    const dialog = await openRebuild(other.page);
    await dialog.getByLabel("pages", { exact: true }).fill("many");
    await dialog.getByText("Options", { exact: true }).click();
    await dialog.getByLabel("Some units").check();
    await sound(other.page, "the dialog", how);
    await visit(other.page, ["operations", `/models/${world.model}/operations`, world.model]);
    await sound(other.page, "the operations", how);
    await visit(other.page, ["operation", `/models/${world.model}/operations/${id}`, `Operation ${id}`]);
    await taskOn(other.page, "site/1").getByRole("heading", { name: "Results" }).waitFor();
    await sound(other.page, "the operation", how);
  }
}
