import { ask, freePort } from "./steps.mjs";

/** For one step of a walk over all pages: what takes longer does not come. */
const STEP = 15_000;

/** A step, or an error that says which of which page did not come. */
async function step(where, what, waiting) {
  try {
    return await waiting;
  } catch (error) {
    throw new Error(`${where}: ${what}: ${String(error.message).split("\n")[0]}`, { cause: error });
  }
}

/** Who is related in a furnished model; the first is the one that the pages look at. */
const RELATED = [
  ["front:website", "hub:website"],
  ["shipper:logs", "hub:juju-info"],
];

/** The relation of a furnished model that the pages look at. */
export async function relation(page, model) {
  const answer = await page.request.get(`/v1/models/${encodeURIComponent(model)}/relations`);
  const { items } = await answer.json();
  const key = RELATED[0].join(" ");
  const found = items.find((each) => each.key === key);
  if (!found) throw new Error(`no relation ${key} among ${items.map((each) => each.key).join(", ")}`);
  return { id: found.id, key };
}

/** The newest run of a hook that a query finds. */
export async function hookRun(page, model, query) {
  const answer = await page.request.get(`/v1/models/${encodeURIComponent(model)}/hooks?limit=1&${query}`);
  const { items } = await answer.json();
  if (items.length === 0) throw new Error(`no run of a hook for ${query}`);
  return items[0].id;
}

/** Every page, for the walks over all of them: its name, its address, what shows that it is there. */
export function pages(model, { application, unit, machine, charm, user, relation, run }) {
  const part = encodeURIComponent;
  const m = `/models/${part(model)}`;
  return [
    ["models", "/models", "Models"],
    ["model", m, model],
    ["units", `${m}?tab=units`, model],
    ["machines", `${m}?tab=machines`, model],
    ["units-in-error", `${m}?tab=units&status=error&sort=-since`, model],
    ["nothing-matches", `${m}?tab=units&q=nothing+is+like+this`, model],
    ["unit-details", `${m}?tab=units&open=${part(unit)}`, model],
    ["application-details", `${m}?open=${part(application)}`, model],
    ["machine-details", `${m}?tab=machines&open=${part(machine)}`, model],
    ["incidents", `${m}/incidents`, model],
    ["timeline", `${m}/timeline`, model],
    ["hook-run", `${m}/hooks/${run}`, `start of ${unit}`],
    ["no-hook-run", `${m}/hooks/0`, "Run 0"],
    ["topology", `${m}/topology`, model],
    ["relations", `${m}/relations`, model],
    ["relation", `${m}/relations/${relation.id}`, relation.key],
    ["application-relations", `${m}/applications/hub/relations`, "hub"],
    ["principal", `${m}/applications/hub`, "hub"],
    ["subordinate", `${m}/applications/shipper`, "shipper"],
    ["unit-relations", `${m}/units/hub/0?view=relations`, "hub/0"],
    ["sharing-charm", `${m}/charms/${part("local:shipper-0")}`, "local:shipper-0"],
    ["reachability", `${m}/reachability`, model],
    ["nobody-reached", "/models/controller/reachability", "controller"],
    ["operations", `${m}/operations`, model],
    ["hooks", `${m}/hooks`, model],
    ["sandbox", `${m}/sandbox`, model],
    ["sandbox-by-state", `${m}/sandbox?by=state-directory&period=hour`, model],
    ["no-hooks", "/models/controller/sandbox", "controller"],
    ["logs", `${m}/logs?level=DEBUG`, model],
    ["charms", `${m}/charms`, model],
    ["bundles", `${m}/bundles`, model],
    ["secrets", `${m}/secrets`, model],
    ["secret", `${m}/secrets/database`, "database"],
    ["storage", `${m}/storage`, model],
    ["one-storage", `${m}/storage/data/0`, "data/0"],
    ["unit-storage", `${m}/units/${unit}?view=storage`, unit],
    ["application-secrets", `${m}/applications/${application}/secrets`, application],
    ["model-config", `${m}/config`, model],
    ["blocks", `${m}/blocks`, model],
    ["access", `${m}/access`, model],
    ["model-audit", `${m}/audit`, model],
    ["deploy", `${m}/deploy`, "Deploy"],
    ["charm", `${m}/charms/${part(charm)}`, charm],
    ["machine", `${m}/machines/${machine}`, `Machine ${machine}`],
    ["application", `${m}/applications/${application}`, application],
    ["resources", `${m}/applications/${application}/resources`, application],
    ["config", `${m}/applications/${application}/config`, application],
    ["actions", `${m}/applications/${application}/actions`, application],
    ["no-actions", `${m}/applications/hub/actions`, "hub"],
    ["requests", `${m}/applications/${application}/requests`, application],
    ["history", `${m}/applications/${application}/history`, application],
    ["unit", `${m}/units/${unit}`, unit],
    ["unit-actions", `${m}/units/${application}/0?view=actions`, `${application}/0`],
    ["unit-files", `${m}/units/${application}/0?view=files`, `${application}/0`],
    ["unit-file", `${m}/units/${application}/0?view=files&file=%2Fstate%2Fsite%2Findex.html`, `${application}/0`],
    ["no-such-file", `${m}/units/${application}/0?view=files&file=%2Fstate%2Fnosuch`, `${application}/0`],
    ["no-files", `${m}/units/hub/0?view=files`, "hub/0"],
    ["unit-history", `${m}/units/${unit}?view=history`, unit],
    ["unit-log", `${m}/units/${unit}?view=log`, unit],
    ["services", `${m}/units/${application}/0?view=services`, `${application}/0`],
    ["unit-reached", `${m}/units/${application}/0?view=reach`, `${application}/0`],
    ["service-log", `${m}/units/${application}/0?view=log&service=web%2Fweb`, `${application}/0`],
    ["workloads", `${m}/units/counter/0?view=services`, "counter/0"],
    ["restarted", `${m}/units/unruly/0?view=services`, "unruly/0"],
    ["requested", `${m}/applications/counter/requests`, "counter"],
    ["audit", "/audit", "Audit"],
    ["workers", "/workers", "Workers"],
    ["alerts", "/alerts", "Alerts"],
    ["controller", "/controller", "Controller"],
    ["users", "/users", "Users"],
    ["user", `/users/${part(user)}`, user],
    ["account", "/account", "Account"],
    ["no-model", "/models/nosuch", "nosuch"],
    ["not-found", "/controller/nowhere", "No such page"],
  ];
}

/**
 * Dialogs that ask before something is done: its name, the page it opens from, the button that opens it. For
 * `all` rows of a table the button is beside their number; `summary` is no dialog but unfolds.
 */
export function dialogs(model, { relation, application, unit, other }) {
  const m = `/models/${encodeURIComponent(model)}`;
  return [
    ["integrate", [`${m}/applications/shipper`, "shipper"], "Integrate"],
    ["suspend-relation", [`${m}/relations/${relation.id}`, relation.key], "Suspend"],
    ["remove-relation", [`${m}/relations/${relation.id}`, relation.key], "Remove"],
    ["expose", [`${m}/applications/shipper`, "shipper"], "Expose"],
    ["unexpose", [`${m}/applications/${application}`, application], "Unexpose"],
    ["remove-principal", [`${m}/applications/hub`, "hub"], "Remove"],
    ["remove-principal-unit", [`${m}/units/hub/0`, "hub/0"], "Remove"],
    ["run-action", [`${m}/applications/${application}/actions`, application], "Run rebuild"],
    ["add-secret", [`${m}/secrets`, model], "Add secret"],
    ["grant-secret", [`${m}/secrets/database`, "database"], "Grant"],
    ["update-secret", [`${m}/secrets/database`, "database"], "Update"],
    ["reveal-secret", [`${m}/secrets/database`, "database"], "Reveal"],
    ["import-storage", [`${m}/storage`, model], "Import"],
    ["create-pool", [`${m}/storage`, model], "Create pool"],
    ["remove-storage", [`${m}/storage/data/0`, "data/0"], "Remove"],
    ["add-storage", [`${m}/units/${unit}?view=storage`, unit], "Add storage"],
    ["skip-incident", [`${m}/incidents`, model], "Skip"],
    ["silence-incident", [`${m}/incidents`, model], "Silence"],
    ["skip-hook", [`${m}/units/${unit}`, unit], "Skip hook"],
    ["add-alert-rule", ["/alerts", "Alerts"], "Add rule"],
    ["silence-alert-rule", ["/alerts", "Alerts"], "Silence errors"],
    ["add-alert-receiver", ["/alerts", "Alerts"], "Add receiver"],
    ["remove-alert-receiver", ["/alerts", "Alerts"], "Remove ops"],
    ["add-machines", [`${m}?tab=machines`, model], "Add machines"],
    ["views", [m, model], { summary: "Views" }],
    ["as-command", [m, model], { summary: "Show as command" }],
    ["retry-units", [`${m}?tab=units&status=error`, model], { all: "unit", button: "Retry hooks…" }],
    ["remove-units", [`${m}?tab=units`, model], { all: "unit", button: "Remove…" }],
    ["scale-applications", [m, model], { all: "application", button: "Scale…" }],
    ["refresh-applications", [m, model], { all: "application", button: "Refresh…" }],
    ["remove-applications", [m, model], { all: "application", button: "Remove…" }],
    ["remove-machines", [`${m}?tab=machines`, model], { all: "machine", button: "Remove…" }],
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
  if (button.summary) {
    const summary = page.getByText(button.summary, { exact: true }).first();
    await step(name, `unfold ${button.summary}`, summary.click({ timeout: STEP }));
    return summary;
  }
  if (button.all) {
    await step(name, `select all ${button.all}s`, selectAll(page, button.all));
  }
  const label = button.button ?? button;
  const opener = page.getByRole("button", { name: label, exact: true }).first();
  await step(name, `press ${label}`, opener.click({ timeout: STEP }));
  const dialog = page.getByRole("dialog");
  await step(name, "its dialog", dialog.waitFor({ timeout: STEP }));
  return dialog;
}

/** Fills a dialog wrongly; the dialog says so. */
export async function fillWrongly(dialog, { name, fill: { label, text, says, press } }) {
  await step(name, `fill ${label}`, dialog.getByLabel(label, { exact: true }).fill(text, { timeout: STEP }));
  if (press) await step(name, `press ${press}`, dialog.getByRole("button", { name: press, exact: true }).click({ timeout: STEP }));
  await step(name, `“${says}”`, dialog.getByText(says).first().waitFor({ timeout: STEP }));
}

/** Goes there and waits until nothing is loading. */
export async function visit(page, [name, path, title]) {
  const where = `${name} (${path})`;
  await step(where, "its address", page.goto(path, { timeout: STEP }));
  const heading = page.getByRole("heading", { level: 1, name: title, exact: true });
  await step(where, `its heading “${title}”`, heading.waitFor({ timeout: STEP }));
  const loading = page.locator(".loading").first();
  await step(where, "goes on loading", loading.waitFor({ state: "detached", timeout: STEP }));
  await page.waitForTimeout(300);
}

/**
 * What has something to show of what it serves: `counter` with a check, metrics and requests, `unruly` with a
 * service that was started again. Returns the port at which they are found by name.
 */
export async function serve(periapt, charmFile) {
  const port = await freePort();
  await periapt("controller-config", `ingress-port=${port}`);
  // Every unit measures at a time of its own within this.
  await periapt("model-config", "collect-metrics-interval=1s");
  for (const name of ["counter", "unruly"]) await periapt("deploy", charmFile(name), name);
  for (const name of ["counter", "unruly"]) {
    await periapt("wait-for", "application", name, "--timeout", "3m");
    await periapt("expose", name);
    await ask(port, name);
  }
  // One that was never asked for anything would have nothing to end.
  await periapt("config", "unruly", "page=another");
  for (let asked = 0; asked < 3; asked += 1) await ask(port, "counter");
  return port;
}

/**
 * Something on every page: two applications, one in error and one that is exposed, and what they bring;
 * two that show what they serve; and a hub that is related to others, with subordinates.
 */
export async function furnish(periapt, charmFile) {
  await periapt("model-config", "automatically-retry-hooks=false");
  await serve(periapt, charmFile);
  await periapt("deploy", charmFile("site"), "site", "-n", "3", "--config", "title=Shop");
  await periapt("deploy", charmFile("probe"), "probe", "--config", "script=start: fail 1000", "--storage", "data=1");
  await periapt("deploy", charmFile("hub"), "hub", "-n", "2");
  await periapt("deploy", charmFile("front"), "front");
  await periapt("deploy", charmFile("shipper"), "shipper");
  await periapt("add-user", "reader");
  await periapt("add-alert-receiver", "ops", "webhook", "url=https://hooks.example.com/x", "key=0123456789abcdef");
  await periapt("add-alert-rule", "errors", "unit-error", "0");
  await periapt("add-secret", "database", "password=hush", "--info", "Of the shop");
  await periapt("grant-secret", "database", "site");
  for (const [one, other] of RELATED) await periapt("integrate", one, other);
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  await periapt("expose", "site");
  for (const ends of RELATED) await periapt("wait-for", "relation", ends.join(" "), "--timeout", "3m");
  await periapt(
    "wait-for", "unit", "probe/0", "--query", 'workload-status == "error"', "--timeout", "3m",
  );
  return { application: "site", unit: "probe/0", machine: "0", charm: "local:site-0", user: "admin", other: "reader" };
}
