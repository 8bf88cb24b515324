/** The dialogs of the pages, for the walks over all of them: from where they open, and how. */
import { STEP, step, visit } from "./pages.mjs";

/**
 * Dialogs that ask before something is done: its name, the page it opens from, and the button that opens it, by its
 * name. What takes more than one press is an object: for `all` rows of a table the button is beside their number;
 * `summary` unfolds something; `typed` is typed into the search field; `steps` do the rest and return what opened.
 */
export function dialogs(model, { relation, application, unit, other }) {
  const m = `/models/${encodeURIComponent(model)}`;
  return [
    ["integrate", [`${m}/applications/shipper`, "shipper"], "Integrate"],
    ["suspend-relation", [`${m}/relations/${relation.id}`, relation.key.replace(" ", " – ")], "Suspend"],
    ["remove-relation", [`${m}/relations/${relation.id}`, relation.key.replace(" ", " – ")], "Remove"],
    ["expose", [`${m}/applications/shipper`, "shipper"], "Expose"],
    ["unexpose", [`${m}/applications/${application}`, application], "Unexpose"],
    ["remove-principal", [`${m}/applications/hub`, "hub"], "Remove"],
    ["remove-principal-unit", [`${m}/units/hub/0`, "hub/0"], "Remove"],
    ["run-action", [`${m}/applications/${application}/actions`, application], "Run rebuild"],
    ["add-secret", [`${m}/secrets`, model], "Add secret"],
    ["grant-secret", [`${m}/secrets/database`, "database"], "Grant"],
    ["update-secret", [`${m}/secrets/database`, "database"], "Update"],
    ["reveal-secret", [`${m}/secrets/database`, "database"], "Reveal"],
    ["revoke-secret", [`${m}/secrets/database`, "database"], /^Revoke/],
    ["remove-secret", [`${m}/secrets/database`, "database"], "Remove"],
    ["import-storage", [`${m}/storage`, model], "Import"],
    ["create-pool", [`${m}/storage`, model], "Create pool"],
    ["remove-storage", [`${m}/storage/data/0`, "data/0"], "Remove"],
    ["add-storage", [`${m}/units/${unit}?view=storage`, unit], "Add storage"],
    ["skip-incident", [`${m}/incidents`, model], "Skip"],
    ["skip-all", [`${m}/incidents`, model], "Skip all"],
    ["silence-incident", [`${m}/incidents`, model], "Silence"],
    ["skip-hook", [`${m}/units/${unit}`, unit], "Skip hook"],
    ["add-alert-rule", ["/alerts", "Alerts"], "Add rule"],
    ["silence-alert-rule", ["/alerts", "Alerts"], "Silence errors"],
    ["remove-alert-rule", ["/alerts", "Alerts"], "Remove errors"],
    ["add-alert-receiver", ["/alerts", "Alerts"], "Add receiver"],
    ["add-mail-receiver", ["/alerts", "Alerts"], { steps: addMailReceiver }],
    ["remove-alert-receiver", ["/alerts", "Alerts"], "Remove ops"],
    ["resolved-alerts", ["/alerts", "Alerts"], { steps: showResolvedAlerts }],
    ["add-controller", ["/models", "Models"], { steps: addController }],
    ["planned-bundle", [`${m}/bundles`, model], { steps: planBundle }],
    ["refused-bundle", [`${m}/bundles`, model], { steps: refuseBundle }],
    ["palette", [m, model], { steps: openPalette }],
    ["palette-scale", [m, model], { typed: `scale ${application} 2` }],
    ["palette-add-machine", [m, model], { typed: "add machine 2" }],
    ["palette-retry", [m, model], { typed: `retry ${unit}` }],
    ["palette-integrate", [m, model], { typed: "integrate front hub" }],
    ["palette-remove", [m, model], { typed: `remove ${application}` }],
    ["destroy-model", [m, model], "Destroy model"],
    ["refresh", [`${m}/applications/${application}`, application], "Refresh"],
    ["upload-resource", [`${m}/applications/${application}/resources`, application], "Upload theme"],
    ["minimum", [`${m}/applications/${application}/config`, application], /^Edit Minimum/],
    ["trust", [`${m}/applications/${application}/config`, application], /^Edit Trusted/],
    ["constraints", [`${m}/applications/${application}/config`, application], /^Edit Constraints/],
    ["annotate", [m, model], "Annotate"],
    ["disable-commands", [`${m}/blocks`, model], /^Disable/],
    ["add-machines", [`${m}?tab=machines`, model], "Add machines"],
    ["views", [m, model], { summary: "Views" }],
    ["as-command", [m, model], { summary: "Show as command" }],
    ["retry-units", [`${m}?tab=units&status=error`, model], { all: "unit", button: "Retry hooks…" }],
    ["remove-units", [`${m}?tab=units`, model], { all: "unit", button: "Remove…" }],
    ["scale-applications", [m, model], { all: "application", button: "Scale…" }],
    ["refresh-applications", [m, model], { all: "application", button: "Refresh…" }],
    ["remove-applications", [m, model], { all: "application", button: "Remove…" }],
    ["remove-machines", [`${m}?tab=machines`, model], { all: "machine", button: "Remove…" }],
    ["add-user", ["/users", "Users"], "Add user"],
    ["remove-user", [`/users/${other}`, other], "Remove"],
    ["disable-user", [`/users/${other}`, other], "Disable"],
    ["grant-superuser", [`/users/${other}`, other], "Grant superuser"],
  ].map(([name, [path, title], button]) => ({ name, place: [name, path, title], button }));
}

/** Dialogs with a field that is filled wrongly: what is typed, and what the dialog says to it. */
export function invalid(model, application) {
  return [
    {
      name: "invalid-model",
      place: ["models", "/models", "Models"],
      button: "Add model",
      fill: { label: "Name", text: "Not a Name", says: "Lower-case letters" },
    },
    {
      name: "invalid-scale",
      place: ["application", `/models/${encodeURIComponent(model)}/applications/${application}`, application],
      button: "Scale",
      fill: { label: "Units", text: "1001", says: "A number from 0 to 1000" },
    },
    {
      name: "invalid-alert-rule",
      place: ["alerts", "/alerts", "Alerts"],
      button: "Add rule",
      fill: { label: "Name", text: "Not a Name", says: "Lower-case letters, digits and dashes" },
    },
    {
      name: "invalid-machines",
      place: ["machines", `/models/${encodeURIComponent(model)}?tab=machines`, model],
      button: "Add machines",
      fill: { label: "Machines", text: "0", says: "A number from 1 to 100" },
    },
  ];
}

/** Chooses all rows: by the table's head, or on a phone, which has none, by the bar below. */
async function selectAll(page, what) {
  const row = page.locator("tr[data-row]").first();
  await row.waitFor({ timeout: STEP });
  const head = page.getByLabel(new RegExp(`^Select all \\d+ ${what}s$`));
  if (await head.isVisible()) return head.check({ timeout: STEP });
  await row.getByRole("checkbox").check({ timeout: STEP });
  const rest = page.getByRole("toolbar").getByRole("button", { name: /^Select all/ });
  if (await rest.isVisible()) await rest.click({ timeout: STEP });
}

/** Opens a dialog on a page of its own. */
export async function open(page, { name, place, button }) {
  await visit(page, place);
  if (button.steps) {
    return button.steps(page, (what, waiting) => step(name, what, waiting));
  }
  if (button.summary) {
    const summary = page.getByText(button.summary, { exact: true }).first();
    await step(name, `unfold ${button.summary}`, summary.click({ timeout: STEP }));
    return summary;
  }
  if (button.all) {
    await step(name, `select all ${button.all}s`, selectAll(page, button.all));
  }
  if (button.typed) {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(button.typed);
    const first = page.getByRole("option", { selected: true }).filter({ hasText: /^do/ });
    await step(name, `find what “${button.typed}” does`, first.waitFor({ timeout: STEP }));
    await page.keyboard.press("Enter");
    return dialogOf(page, name);
  }
  const label = button.button ?? button;
  const opener = page.getByRole("button", { name: label, exact: true }).first();
  await step(name, `press ${label}`, opener.click({ timeout: STEP }));
  return dialogOf(page, name);
}

async function dialogOf(page, name) {
  const dialog = page.getByRole("dialog");
  await step(name, "its dialog", dialog.waitFor({ timeout: STEP }));
  return dialog;
}

/** Of another controller; on a phone the way there is in the menu. */
async function addController(page, must) {
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if (await menu.isVisible()) await must("press Menu", menu.click({ timeout: STEP }));
  const controller = page.getByRole("button", { name: /^Controller / });
  await must("press the controller's name", controller.click({ timeout: STEP }));
  const add = page.getByRole("button", { name: "Add controller", exact: true });
  await must("press Add controller", add.click({ timeout: STEP }));
  const dialog = page.getByRole("dialog", { name: "Add controller" });
  await must("its dialog", dialog.waitFor({ timeout: STEP }));
  return dialog;
}

async function addMailReceiver(page, must) {
  const add = page.getByRole("button", { name: "Add receiver", exact: true });
  await must("press Add receiver", add.click({ timeout: STEP }));
  const dialog = page.getByRole("dialog", { name: "Add receiver" });
  const type = dialog.getByLabel("Type", { exact: true });
  await must("choose e-mail", type.selectOption("email", { timeout: STEP }));
  await must("the mail server", dialog.getByLabel("Mail server", { exact: true }).waitFor({ timeout: STEP }));
  return dialog;
}

async function showResolvedAlerts(page, must) {
  const show = page.getByRole("button", { name: "Show resolved alerts", exact: true });
  await must("press Show resolved alerts", show.click({ timeout: STEP }));
  await must("goes away", show.waitFor({ state: "detached", timeout: STEP }));
  await must("goes on loading", page.locator(".loading").first().waitFor({ state: "detached", timeout: STEP }));
  return page.getByRole("region", { name: "Resolved alerts" });
}

/** What can be done, before anything is typed. */
async function openPalette(page, must) {
  await page.keyboard.press("Control+k");
  const found = page.getByRole("listbox", { name: "Found" });
  await must("what is found", found.getByRole("option").first().waitFor({ timeout: STEP }));
  return found;
}

/** Plans a bundle of the text, without applying it. */
async function plan(page, must, text) {
  await must("fill the text", page.getByLabel("Bundle YAML").fill(text, { timeout: STEP }));
  await must("press Dry run", page.getByRole("button", { name: "Dry run", exact: true }).click({ timeout: STEP }));
}

async function planBundle(page, must) {
  await plan(page, must, "applications:\n  site: {charm: local:site-0, num_units: 4}\n");
  const planned = page.getByRole("region", { name: "Plan", exact: true });
  await must("the plan", planned.waitFor({ timeout: STEP }));
  await must("goes on loading", page.locator(".loading").first().waitFor({ state: "detached", timeout: STEP }));
  return planned;
}

async function refuseBundle(page, must) {
  await plan(page, must, "applications:\n  site:\n    num_units: 4\n");
  const line = page.getByRole("list", { name: /^Line \d+ of the bundle$/ });
  await must("the refused line", line.waitFor({ timeout: STEP }));
  return line;
}

/** Fills a dialog wrongly; the dialog says so. */
export async function fillWrongly(dialog, { name, fill: { label, text, says, press } }) {
  await step(name, `fill ${label}`, dialog.getByLabel(label, { exact: true }).fill(text, { timeout: STEP }));
  if (press) await step(name, `press ${press}`, dialog.getByRole("button", { name: press, exact: true }).click({ timeout: STEP }));
  await step(name, `“${says}”`, dialog.getByText(says).first().waitFor({ timeout: STEP }));
}
