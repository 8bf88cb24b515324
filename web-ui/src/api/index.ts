/** Every call the pages make, by resource. */
import { all, call, callBytes, callLines, callTagged, page, unreachable } from "./client";
import * as paths from "./paths";
import type * as t from "./types";

/** The last statuses, oldest first. */
async function history(path: string, limit: number): Promise<t.HistoryEntry[]> {
  const last = await page<t.HistoryEntry>(path, { limit });
  return last.items.reverse();
}

export const session = {
  current: () => call<t.Session>("GET", "/v1/session"),
  begin: (user: string, password: string) =>
    call<t.Session>("POST", "/v1/session", { body: { user, password } }),
  end: () => call<unknown>("DELETE", "/v1/session"),
  whoami: () => call<t.WhoAmI>("GET", "/v1/whoami"),
  register: (user: string, token: string, password: string) =>
    call<unknown>("POST", "/v1/register", { body: { user, token, password } }),
};

export const controller = {
  info: () => call<t.ControllerInfo>("GET", "/v1/controller"),
  config: () => callTagged<t.ConfigSettings>("GET", "/v1/controller/config"),
  setConfig: (change: t.ConfigChange, tag: string | null) =>
    call<t.ConfigSettings>("PATCH", "/v1/controller/config", { body: change, ifMatch: tag }),
  workers: () => all<t.WorkerRow>("/v1/workers"),
  figures: () => call<t.Figures>("GET", "/v1/controller/figures"),
  engines: () => call<t.EngineMap>("GET", "/v1/controller/introspection/depengine"),
};

/** `/health` and `/ready`: a failing probe answers 503 with the same body. */
export async function probe(path: "/health" | "/ready"): Promise<t.Probe> {
  let response: Response;
  try {
    response = await fetch(path, { headers: { Accept: "application/json" } });
  } catch {
    throw unreachable();
  }
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<t.Probe>;
    if (body.status && body.checks) return body as t.Probe;
  } catch {
    // A bare text: its words are the whole answer.
  }
  const status = response.ok ? "ok" : "failing";
  return { status, checks: [{ name: path.slice(1), ok: response.ok, reason: text.trim() }] };
}

export const models = {
  list: () => all<t.ModelSummary>("/v1/models"),
  show: (model: string) => call<t.ModelSummary>("GET", paths.model(model)),
  add: (name: string) => call<t.ModelSummary>("POST", "/v1/models", { body: { name, config: {} } }),
  /** Storage that outlives units is destroyed or given up; where nobody says which, a model that has such stays. */
  destroy: (model: string, force: boolean, destroyStorage: boolean | null) =>
    call<t.ModelSummary>("DELETE", paths.model(model) + paths.removal(force, destroyStorage)),
  config: (model: string) => callTagged<t.ConfigSettings>("GET", `${paths.model(model)}/config`),
  setConfig: (model: string, change: t.ConfigChange, tag: string | null) =>
    call<t.ConfigSettings>("PATCH", `${paths.model(model)}/config`, { body: change, ifMatch: tag }),
  access: (model: string) => all<t.ModelAccess>(`${paths.model(model)}/access`),
  grant: (model: string, user: string, access: t.ModelPermission) =>
    call<t.ModelAccess>("PUT", paths.modelAccess(model, user), { body: { access } }),
  revoke: (model: string, user: string, access: t.ModelPermission) =>
    call<t.ModelAccess>("DELETE", paths.modelAccess(model, user), { body: { access } }),
  workers: (model: string) => all<t.WorkerRow>(`${paths.model(model)}/workers`),
};

export const charms = {
  list: (model: string) => all<t.CharmInfo>(`${paths.model(model)}/charms`),
  readme: (model: string, url: string) => call<t.CharmReadme>("GET", paths.charmReadme(model, url)),
  /** What would hold of its capabilities if it were deployed, or if an application got it. */
  capabilities: (model: string, url: string, application: string | undefined) =>
    call<t.Grants>("GET", `${paths.charm(model, url)}/capabilities`, { query: { application } }),
  /** What the controller's charm repository has. */
  repository: () => call<t.CharmRepository>("GET", "/v1/charm-repository"),
  /** Gives the model a charm of the repository. */
  take: (model: string, name: string, channel: string) =>
    call<t.CharmInfo>("POST", `${paths.model(model)}/charm-repository/take`, { body: { name, channel } }),
};

export const applications = {
  list: (model: string) => all<t.ApplicationInfo>(`${paths.model(model)}/applications`),
  deploy: (
    model: string,
    body: {
      application: string;
      charm: string;
      units: number;
      config: t.ConfigValues;
      storage?: Record<string, t.AskedStorage>;
      constraints?: string;
      channel?: string;
      capabilities?: t.CapabilityChoices;
    },
  ) => call<t.ApplicationInfo>("POST", `${paths.model(model)}/applications`, { body }),
  remove: (model: string, name: string, force: boolean, destroyStorage: boolean) =>
    call<t.Removal>("DELETE", paths.application(model, name) + paths.removal(force, destroyStorage || null)),
  config: (model: string, name: string) =>
    callTagged<t.ApplicationConfig>("GET", `${paths.application(model, name)}/config`),
  setConfig: (model: string, name: string, change: t.ConfigChange, tag: string | null) =>
    call<t.ApplicationConfig>("PATCH", `${paths.application(model, name)}/config`, {
      body: change,
      ifMatch: tag,
    }),
  /** A charm of no channel follows none from then on. */
  refresh: (
    model: string,
    name: string,
    charm: string,
    forceUnits: boolean,
    channel: string,
    capabilities: t.CapabilityChoices | null,
  ) =>
    call<t.ApplicationInfo>("POST", `${paths.application(model, name)}/refresh`, {
      body: { charm, "force-units": forceUnits, channel, ...(capabilities && { capabilities }) },
    }),
  grants: (model: string, name: string) => call<t.Grants>("GET", paths.grants(model, name)),
  grant: (model: string, name: string, capabilities: string[]) =>
    call<t.Grants>("POST", paths.grants(model, name), { body: { capabilities } }),
  revoke: (model: string, name: string, capabilities: string[]) =>
    call<t.Grants>("POST", `${paths.grants(model, name)}/revoke`, { body: { capabilities } }),
  expose: (model: string, name: string, body: t.Expose) =>
    call<t.ApplicationInfo>("POST", `${paths.application(model, name)}/expose`, { body }),
  unexpose: (model: string, name: string) =>
    call<t.ApplicationInfo>("POST", `${paths.application(model, name)}/unexpose`, {
      body: { endpoints: [] },
    }),
  setConstraints: (model: string, name: string, constraints: string) =>
    call<t.ApplicationInfo>("PUT", `${paths.application(model, name)}/constraints`, { body: { constraints } }),
  setMinUnits: (model: string, name: string, least: number) =>
    call<t.ApplicationInfo>("PUT", `${paths.application(model, name)}/min-units`, { body: { "min-units": least } }),
  setTrust: (model: string, name: string, trust: boolean) =>
    call<t.ApplicationInfo>("PUT", `${paths.application(model, name)}/trust`, { body: { trust } }),
  /** More units are added, or the youngest begin to go. */
  scale: (model: string, name: string, body: t.SetScale) =>
    call<t.Scaled>("PUT", `${paths.application(model, name)}/scale`, { body }),
  history: (model: string, name: string, limit: number) =>
    history(`${paths.application(model, name)}/history`, limit),
  /** Of the last hour; of one unit if it is named. */
  traffic: (model: string, name: string, unit: string | undefined) =>
    call<t.Traffic>("GET", `${paths.application(model, name)}/traffic`, { query: { unit } }),
};

export const reach = {
  /** Of all units, or of one. */
  show: (model: string, unit: string | undefined) =>
    call<t.Reachability>("GET", paths.reachability(model), { query: { unit } }),
};

export const units = {
  /** With its relations and their settings, which the stream leaves out. */
  show: (model: string, name: string) => call<t.UnitInfo>("GET", paths.unit(model, name)),
  services: (model: string, name: string) =>
    all<t.ServiceInfo>(`${paths.model(model)}/services`, { name: `${name}:*` }),
  checks: (model: string, name: string) =>
    all<t.CheckInfo>(`${paths.model(model)}/checks`, { name: `${name}:*` }),
  remove: (model: string, name: string, force: boolean, destroyStorage: boolean) =>
    call<t.Removal>("DELETE", paths.unit(model, name) + paths.removal(force, destroyStorage || null)),
  resolve: (model: string, name: string, retry: boolean) =>
    call<unknown>("POST", `${paths.unit(model, name)}/resolved`, { body: { retry } }),
  history: (model: string, name: string, limit: number) =>
    history(`${paths.unit(model, name)}/history`, limit),
  why: (model: string, name: string) => call<t.Why>("GET", paths.unitWhy(model, name)),
  metrics: (model: string, name: string, values: number) =>
    all<t.MetricHistory>(`${paths.unit(model, name)}/metrics`, { values }),
};

/** What charms keep in `/state`. Each call is on record in the audit. */
export const files = {
  list: (model: string, unit: string, path: string) =>
    call<t.FileListing>("POST", paths.fileList(model, unit), { body: { path } }),
  /** All of a file, or the first `most` bytes of it. */
  read: (model: string, unit: string, path: string, most = Infinity, signal?: AbortSignal) =>
    callBytes("POST", paths.fileRead(model, unit), { body: { path }, ...(signal && { signal }) }, most),
};

export interface TopFilter {
  by?: t.TopBy;
  seconds?: number | undefined;
  limit?: number;
}

export const sandbox = {
  top: (model: string, filter: TopFilter) => call<t.Top>("GET", paths.top(model), { query: { ...filter } }),
};

export const relations = {
  integrate: (model: string, endpoints: [string, string]) =>
    call<t.RelationInfo>("POST", paths.relations(model), { body: { endpoints } }),
  change: (model: string, id: number, body: { suspended: boolean; reason?: string }) =>
    call<t.RelationInfo>("PATCH", paths.relation(model, id), { body }),
  remove: (model: string, id: number, force: boolean) =>
    call<t.Removal>("DELETE", paths.relation(model, id), { query: { force: force || null } }),
};

export const machines = {
  /** They stay until they are removed, whether or not units run on them. */
  add: (model: string, count: number, constraints: string) =>
    call<t.MachineInfo[]>("POST", paths.machines(model), {
      body: { count, ...(constraints && { constraints }) },
    }),
  /** Refused while units run on it, unless with force: then they go along. */
  remove: (model: string, id: string, force: boolean, destroyStorage: boolean) =>
    call<t.Removal>("DELETE", paths.machine(model, id) + paths.removal(force, destroyStorage || null)),
  retryProvisioning: (model: string, id: string) =>
    call<t.MachineInfo>("POST", `${paths.machine(model, id)}/retry-provisioning`),
  history: (model: string, id: string, limit: number) =>
    history(`${paths.machine(model, id)}/history`, limit),
};

export interface HookFilter {
  unit?: string | undefined;
  application?: string | undefined;
  hook?: string | undefined;
  result?: string | undefined;
  /** RFC 3339. */
  since?: string | undefined;
  until?: string | undefined;
  limit?: number;
  after?: string | undefined;
}

export const hooks = {
  page: (model: string, filter: HookFilter) =>
    page<t.HookRun>(`${paths.model(model)}/hooks`, { ...filter }),
  report: (model: string, id: number) => call<t.HookDetails>("GET", paths.hookReport(model, id)),
};

export const incidents = {
  list: (model: string) => all<t.IncidentInfo>(paths.incidents(model)),
  retry: (model: string, id: string) => call<t.IncidentAnswer>("POST", paths.incident(model, id, "retry")),
  skip: (model: string, id: string) => call<t.IncidentAnswer>("POST", paths.incident(model, id, "skip")),
  /** For so many seconds; until it changes without. */
  silence: (model: string, id: string, seconds: number | null) =>
    call<t.SilenceInfo>("POST", paths.incident(model, id, "silence"), { body: seconds === null ? {} : { seconds } }),
  endSilence: (model: string, id: string) => call<unknown>("DELETE", paths.incident(model, id, "silence")),
};

export interface TimelineFilter {
  from?: string | undefined;
  to?: string | undefined;
  kinds?: string | undefined;
  application?: string | undefined;
  limit?: number;
  after?: string | undefined;
}

export const timeline = {
  page: (model: string, filter: TimelineFilter) => page<t.TimelineEntry>(paths.timeline(model), { ...filter }),
};

export interface OperationFilter {
  units?: string | undefined;
  applications?: string | undefined;
  actions?: string | undefined;
  status?: string | undefined;
  limit?: number;
  after?: string | undefined;
}

export const operations = {
  /** What units of the application can be asked to run. */
  offered: (model: string, application: string) =>
    call<t.ApplicationActions>("GET", paths.actions(model, application)),
  page: (model: string, filter: OperationFilter) =>
    page<t.OperationInfo>(paths.operations(model), { ...filter }),
  show: (model: string, id: string) => call<t.OperationInfo>("GET", paths.operation(model, id)),
  start: (model: string, body: t.EnqueueOperation) =>
    call<t.OperationInfo>("POST", paths.operations(model), { body }),
};

export const bundles = {
  /** What is missing of it; carried out unless it is a dry run. */
  deploy: (model: string, body: t.DeployBundle) => call<t.BundlePlan>("POST", paths.bundles(model), { body }),
  page: (model: string, limit: number) => page<t.BundleApply>(paths.bundles(model), { limit }),
  /** Answered within `wait` seconds, or once more than `taken` changes are made. */
  show: (model: string, id: number, known: { taken: number; wait: number }, signal?: AbortSignal) =>
    call<t.BundleApply>("GET", paths.bundle(model, id), {
      query: { wait: known.wait || null, taken: known.taken },
      ...(signal && { signal }),
    }),
  export: (model: string) => call<t.BundleExport>("GET", paths.bundleExport(model)),
  drift: (model: string) => call<t.BundleDrift>("GET", paths.bundleDrift(model)),
};

export const resources = {
  /** What the application's charm declares, with what is attached. */
  list: (model: string, application: string) =>
    call<t.ApplicationResources>("GET", paths.resources(model, application)),
};

export const blocks = {
  /** Those that hold. */
  list: (model: string) => all<t.BlockInfo>(paths.blocks(model)),
  set: (model: string, kind: t.BlockKind, message: string) =>
    call<t.BlockInfo>("PUT", paths.block(model, kind), { body: { message } }),
  lift: (model: string, kind: t.BlockKind) => call<unknown>("DELETE", paths.block(model, kind)),
};

export const annotations = {
  /** Of one entity, whether or not anything is noted of it. */
  show: async (model: string, entity: string): Promise<Record<string, string>> => {
    const found = await page<t.EntityAnnotations>(paths.annotations(model), { entity });
    return found.items[0]?.annotations ?? {};
  },
  /** An empty text removes its key. */
  set: (model: string, entity: string, set: Record<string, string>) =>
    call<t.EntityAnnotations>("PATCH", paths.annotations(model), { body: { entity, set } }),
};

export const tasks = {
  /** With its results, and the lines after the first `lines`; answered within `wait` seconds. */
  show: (model: string, id: number, known: { lines: number; wait: number }, signal?: AbortSignal) =>
    call<t.TaskInfo>("GET", paths.task(model, id), {
      query: { lines: known.lines || null, wait: known.wait || null },
      ...(signal && { signal }),
    }),
  cancel: (model: string, id: number) => call<t.TaskInfo>("POST", `${paths.task(model, id)}/cancel`),
};

export const secrets = {
  add: (model: string, body: { name: string; description: string; values: t.SecretValues }) =>
    call<t.SecretInfo>("POST", paths.secrets(model), { body }),
  /** What is left out stays; values are all those of a new revision. */
  update: (
    model: string,
    id: string,
    body: { name?: string; description?: string; values?: t.SecretValues; "auto-prune"?: boolean },
  ) => call<t.SecretInfo>("PATCH", paths.secret(model, id), { body }),
  /** The whole of it, or one revision. */
  remove: (model: string, id: string, revision: number | null) =>
    call<unknown>("DELETE", paths.secret(model, id), { query: { revision } }),
  /** On record in the audit. */
  reveal: (model: string, id: string, revision: number) =>
    call<t.RevealedSecret>("POST", `${paths.secret(model, id)}/reveal`, { body: { revision } }),
  grant: (model: string, id: string, applications: string[]) =>
    call<t.SecretInfo>("POST", paths.secretGrants(model, id), { body: { applications } }),
  revoke: (model: string, id: string, application: string) =>
    call<t.SecretInfo>("DELETE", paths.secretGrant(model, id, application)),
};

export const secretBackends = {
  list: () => all<t.SecretBackendInfo>(paths.SECRET_BACKENDS),
};

export interface NewAlertRule {
  name: string;
  condition: t.AlertCondition;
  threshold: string;
  model?: string;
  receivers: string[];
}

export const alerts = {
  list: (state: "firing" | "resolved", limit: number) =>
    page<t.AlertInfo>(paths.ALERTS, { state, limit }),
  /** The visitor takes it on. */
  acknowledge: (id: number) => call<t.AlertInfo>("POST", `${paths.alert(id)}/acknowledge`),
  rules: () => all<t.AlertRuleInfo>(paths.ALERT_RULES),
  addRule: (body: NewAlertRule) => call<t.AlertRuleInfo>("POST", paths.ALERT_RULES, { body }),
  removeRule: (name: string) => call<unknown>("DELETE", paths.alertRule(name)),
  silenceRule: (name: string, duration: string) =>
    call<t.AlertRuleInfo>("POST", `${paths.alertRule(name)}/silence`, { body: { duration } }),
  receivers: () => all<t.AlertReceiverInfo>(paths.ALERT_RECEIVERS),
  addReceiver: (body: { name: string; type: string; config: t.SecretValues }) =>
    call<t.AlertReceiverInfo>("POST", paths.ALERT_RECEIVERS, { body }),
  removeReceiver: (name: string) => call<unknown>("DELETE", paths.alertReceiver(name)),
  testReceiver: (name: string) => call<t.AlertDelivery>("POST", `${paths.alertReceiver(name)}/test`),
  deliveries: (limit: number) => page<t.AlertDelivery>(paths.ALERT_DELIVERIES, { limit }),
};

export const storage = {
  attach: (model: string, id: string, unit: string) =>
    call<t.StorageInfo>("POST", `${paths.storage(model, id)}/attach`, { body: { unit } }),
  detach: (model: string, id: string, force: boolean) =>
    call<t.StorageInfo>("POST", `${paths.storage(model, id)}/detach`, { body: { force } }),
  /** With what is in it, unless its directory is kept. */
  remove: (model: string, id: string, force: boolean, keep: boolean) =>
    call<unknown>("DELETE", paths.storage(model, id) + paths.storageRemoval(force, keep)),
  import: (model: string, body: { pool: string; "provider-id": string; storage: string }) =>
    call<t.StorageInfo>("POST", paths.storages(model), { body }),
  /** More for a unit. */
  add: (model: string, unit: string, body: { storage: string; asked: t.AskedStorage }) =>
    call<t.StorageInfo[]>("POST", paths.unitStorage(model, unit), { body }),
};

export const storagePools = {
  list: (model: string) => all<t.StoragePoolInfo>(paths.storagePools(model)),
  create: (model: string, body: { name: string; provider: string; attributes: Record<string, string> }) =>
    call<t.StoragePoolInfo>("POST", paths.storagePools(model), { body }),
  remove: (model: string, name: string) => call<unknown>("DELETE", paths.storagePool(model, name)),
};

export const logs = {
  /** The last lines about an entity; those that follow come with the stream (`live/lines.ts`). */
  tail: (model: string, entity: string, count: number) =>
    callLines<t.LogRecord>(paths.logs(model), { include: entity, level: "INFO", tail: count }),
};

export interface AuditFilter {
  user?: string | undefined;
  matching?: string | undefined;
  result?: string | undefined;
  /** `change`, `sign-in`, `call`. */
  kind?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number;
  after?: string | undefined;
}

export const audit = {
  page: (model: string | null, filter: AuditFilter) =>
    page<t.AuditRecord>(model ? `${paths.model(model)}/audit` : "/v1/audit", { ...filter }),
};

export const users = {
  list: () => all<t.UserInfo>("/v1/users"),
  show: (name: string) => call<t.UserInfo>("GET", paths.user(name)),
  add: (body: { name: string; "display-name": string; password: string | null }) =>
    call<t.AddedUser>("POST", "/v1/users", { body }),
  change: (name: string, body: { "display-name"?: string; disabled?: boolean }) =>
    call<t.UserInfo>("PATCH", paths.user(name), { body }),
  remove: (name: string) => call<unknown>("DELETE", paths.user(name)),
  setPassword: (name: string, current: string | null, password: string) =>
    call<unknown>("PUT", `${paths.user(name)}/password`, { body: { current, password } }),
  tokens: (name: string) => all<t.TokenInfo>(`${paths.user(name)}/tokens`),
  addToken: (name: string, body: { name: string; "expires-in": number | null }) =>
    call<t.AddedToken>("POST", `${paths.user(name)}/tokens`, { body }),
  revokeToken: (name: string, id: string) =>
    call<unknown>("DELETE", `${paths.user(name)}/tokens/${encodeURIComponent(id)}`),
  grant: (name: string, access: t.ControllerAccess) =>
    call<t.UserInfo>("PUT", `${paths.user(name)}/access`, { body: { access } }),
  revoke: (name: string, access: t.ControllerAccess) =>
    call<t.UserInfo>("DELETE", `${paths.user(name)}/access`, { body: { access } }),
};
