import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, freePort } from "./steps.mjs";

/** For one step of a walk over all pages: what takes longer does not come. */
export const STEP = 15_000;

/** A step, or an error that says which of which page did not come. */
export async function step(where, what, waiting) {
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

/** The run of the hook that failed in the unit that the pages look at. */
export function failedRun(page, model, unit) {
  return hookRun(page, model, `hook=start&result=failed&unit=${encodeURIComponent(unit)}`);
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
    ["topology-filtered", `${m}/topology?q=shipper`, model],
    ["topology-without-match", `${m}/topology?q=nothing+is+like+this`, model],
    ["relations", `${m}/relations`, model],
    ["relation", `${m}/relations/${relation.id}`, relation.key.replace(" ", " – ")],
    ["application-relations", `${m}/applications/hub/relations`, "hub"],
    ["principal", `${m}/applications/hub`, "hub"],
    ["subordinate", `${m}/applications/shipper`, "shipper"],
    ["unit-relations", `${m}/units/hub/0?view=relations`, "hub/0"],
    ["sharing-charm", `${m}/charms/${part("local:shipper-0")}`, "local:shipper-0"],
    ["reachability", `${m}/reachability`, model],
    ["nobody-reached", "/models/controller/reachability", "controller"],
    ["operations", `${m}/operations`, model],
    ["hooks", `${m}/hooks`, model],
    ["hooks-as-list", `${m}/hooks?as=list`, model],
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
    ["capabilities", `${m}/applications/${application}/capabilities`, application],
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
 * Something on every page: applications, one in error and one that is exposed, and what they bring; two that show
 * what they serve; a hub that is related to others, with subordinates; one of whose units each is in error; and a
 * charm repository.
 */
export async function furnish(periapt, charmFile) {
  await periapt("model-config", "automatically-retry-hooks=false");
  await serve(periapt, charmFile);
  await periapt("deploy", charmFile("site"), "site", "-n", "3", "--config", "title=Shop");
  await periapt("deploy", charmFile("probe"), "probe", "--config", "script=start: fail 1000", "--storage", "data=1");
  await periapt("deploy", charmFile("probe"), "pair", "-n", "2", "--config", "script=start: fail 1000");
  await periapt("deploy", charmFile("hub"), "hub", "-n", "2");
  await periapt("deploy", charmFile("front"), "front");
  await periapt("deploy", charmFile("shipper"), "shipper");
  await periapt("add-user", "reader");
  const repository = await mkdtemp(join(tmpdir(), "periapt-test-charms-"));
  await periapt("charm", "publish", charmFile("noop"), repository, "--channel", "edge");
  await periapt("controller-config", `charm-repository=${repository}`);
  await periapt("add-alert-receiver", "ops", "webhook", "url=https://hooks.example.com/x", "key=0123456789abcdef");
  await periapt("add-alert-rule", "errors", "unit-error", "0");
  await periapt("add-secret", "database", "password=hush", "--info", "Of the shop");
  await periapt("grant-secret", "database", "site");
  for (const [one, other] of RELATED) await periapt("integrate", one, other);
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  await periapt("expose", "site");
  for (const ends of RELATED) await periapt("wait-for", "relation", ends.join(" "), "--timeout", "3m");
  for (const unit of ["probe/0", "pair/0", "pair/1"]) {
    await periapt("wait-for", "unit", unit, "--query", 'workload-status == "error"', "--timeout", "3m");
  }
  return { application: "site", unit: "probe/0", machine: "0", charm: "local:site-0", user: "admin", other: "reader" };
}
