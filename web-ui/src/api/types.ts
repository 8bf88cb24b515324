/**
 * Bodies of the HTTP API, member by member as `host/wire/src/rest/` writes them.
 *
 * Only `api/` names paths; everything else uses these types, so types generated from the
 * OpenAPI description can take this file's place without a change elsewhere. Times are
 * microseconds UTC unless a member says otherwise.
 */

export type Life = "alive" | "dying" | "dead";
export type ControllerAccess = "login" | "superuser";
export type ModelPermission = "read" | "write" | "admin";

export interface Page<T> {
  items: T[];
  next?: string | null;
}

export interface Problem {
  status: number;
  code: string;
  title: string;
  detail?: string;
  advice?: string;
  /** Seconds until it is worth asking again. */
  "retry-after"?: number;
}

export interface Session {
  user: string;
  csrf: string;
  "expires-at": number;
}

export interface OwnModelAccess {
  uuid: string;
  name: string;
  access: ModelPermission;
}

export interface WhoAmI {
  user: string;
  "display-name": string;
  access: ControllerAccess;
  models: OwnModelAccess[];
  controller: string;
}

export interface UserInfo {
  name: string;
  "display-name": string;
  access: ControllerAccess;
  disabled: boolean;
  registered: boolean;
  "created-by": string;
  "created-at": number;
  "last-login": number | null;
  models: OwnModelAccess[];
}

export interface AddedUser {
  user: UserInfo;
  registration?: string | null;
}

export interface TokenInfo {
  id: string;
  name: string;
  kind: string;
  "created-at": number;
  "expires-at": number;
  "last-used": number | null;
}

export interface AddedToken {
  info: TokenInfo;
  token: string;
}

export interface ModelAccess {
  user: string;
  "display-name": string;
  access: ModelPermission | null;
  owner: boolean;
}

export interface ControllerInfo {
  uuid: string;
  name: string;
  version: string;
  addresses: string[];
  models: number;
  "started-at": number;
  database: string;
  pid: number;
}

export interface ModelSummary {
  uuid: string;
  name: string;
  owner: string;
  life: Life;
  status: string;
  message: string;
  applications: number;
  machines: number;
  units: number;
  "created-at": number;
}

export interface Status {
  status: string;
  message: string;
  since: number;
  data?: Record<string, unknown>;
}

export type ConfigValue = boolean | number | string;
export type ConfigValues = Record<string, ConfigValue>;
export type ConfigKind = "string" | "int" | "float" | "boolean" | "secret";

export interface ConfigOption {
  type: ConfigKind;
  description?: string;
  default?: ConfigValue;
}

export interface ConfigSchema {
  options: Record<string, ConfigOption>;
}

/** An option of a model or of the controller as it stands. */
export interface ConfigSetting {
  /** `boolean`, `integer`, `duration`, `size`, `choice`, `secret` or `text`. */
  type: string;
  /** What holds now; never there for a secret, which is set if its source is not `default`. */
  value?: ConfigValue;
  /** What holds while nobody sets it. */
  default?: ConfigValue;
  /** Who set it: `default` (nobody), `controller` or `model`. */
  source: string;
  /** The values a `choice` takes. */
  choices?: string[];
  description: string;
}

export type ConfigSettings = Record<string, ConfigSetting>;

export interface ConfigChange {
  set: ConfigValues;
  reset: string[];
}

export interface ApplicationConfig {
  application: string;
  charm: string;
  schema: ConfigSchema;
  settings: ConfigValues;
  effective: ConfigValues;
}

export interface ApplicationInfo {
  name: string;
  charm: string;
  "charm-name": string;
  "charm-revision": number;
  life: Life;
  exposed: boolean;
  status: Status;
  "workload-version": string;
  units: string[];
  /** Its units come to life in the containers of others. */
  subordinate?: boolean;
  /** What its removal still waits for, in words. */
  "waiting-for"?: string[];
}

export interface UnitInfo {
  name: string;
  application: string;
  charm: string;
  life: Life;
  machine: string | null;
  leader: boolean;
  workload: Status;
  agent: Status;
  "opened-ports": string[];
  "public-address": string | null;
  "workload-version": string;
  "waiting-for"?: string[];
  /** The unit a subordinate lives beside; subordinates are listed under it. */
  principal?: string | null;
  subordinates?: string[];
  /** Its relations with all settings; only of the unit alone, not in lists. */
  relations?: UnitRelation[];
}

/** One relation as one of its units sees it. */
export interface UnitRelation {
  "relation-id": number;
  endpoint: string;
  "related-endpoint": string;
  "related-application": string;
  /** Settings of the application at the other end. */
  "application-data": Settings;
  /** Settings of the unit's own application. */
  "local-application-data": Settings;
  "local-unit": UnitBag;
  "related-units": Record<string, UnitBag>;
}

export type Settings = Record<string, string>;

/** A unit's settings in a relation. */
export interface UnitBag {
  "in-scope": boolean;
  data: Settings;
}

export interface MachineInfo {
  id: string;
  life: Life;
  "instance-id": string;
  "agent-status": string;
  "agent-message": string;
  "instance-status": string;
  "instance-message": string;
  addresses: string[];
  hardware: string;
  units: string[];
  "created-at": number;
  /** What its removal still waits for, in words. */
  "waiting-for"?: string[];
}

export interface RelationEndpoint {
  application: string;
  name: string;
  /** `provider`, `requirer` or `peer`. */
  role: string;
}

export interface RelationInfo {
  id: number;
  /** `front:website site:website`, as `integrate` takes it. */
  key: string;
  interface: string;
  /** `global` or `container`. */
  scope: string;
  endpoints: RelationEndpoint[];
  life: Life;
  /** `joining`, `joined`, `suspending`, `suspended` or `broken`. */
  status: string;
  message: string;
  suspended: boolean;
  "created-at": number;
  /** Grows whenever somebody enters the relation or changes settings in it. */
  "settings-version"?: number;
  /** What its removal or suspension still waits for, in words. */
  "waiting-for": string[];
}

export interface CharmEndpoint {
  interface: string;
  scope: string;
  limit?: number;
  optional: boolean;
}

export interface CharmMetadata {
  name: string;
  "display-name"?: string;
  summary: string;
  description: string;
  subordinate: boolean;
  provides?: Record<string, CharmEndpoint>;
  requires?: Record<string, CharmEndpoint>;
  peers?: Record<string, CharmEndpoint>;
  storage?: Record<string, { type: string; description?: string }>;
  resources?: Record<string, unknown>;
  containers?: Record<string, unknown>;
}

export interface CharmInfo {
  url: string;
  name: string;
  revision: number;
  sha256: string;
  size: number;
  metadata: CharmMetadata;
  config: ConfigSchema;
  actions: Record<string, { description?: string }>;
  capabilities: string[];
  /** Directories it shares with whoever lives in the same container, by name. */
  container?: Record<string, "read-only" | "read-write">;
  hooks: string[];
  subordinate: boolean;
  /** Bounds of one hook run, where the controller tells them. */
  limits?: CharmLimits;
}

export interface CharmLimits {
  "memory-bytes": number;
  "table-elements": number;
  "output-bytes": number;
  "host-calls": number;
  "wall-clock-ms": number;
  "state-directory-bytes": number;
}

export interface Removal {
  units: string[];
  machines: string[];
}

export interface HistoryEntry {
  time: number;
  kind: string;
  status: string;
  message: string;
}

export interface HookRun {
  id: number;
  unit: string;
  application: string;
  hook: string;
  charm: string;
  "started-at": number;
  /** Microseconds. */
  duration: number;
  result: "ok" | "failed";
  code: string;
  message: string;
  effects: string[];
}

export interface LogRecord {
  time: number;
  entity: string;
  level: string;
  module: string;
  message: string;
}

export interface AuditRecord {
  id: number;
  time: number;
  who: string;
  from: string;
  model: string | null;
  what: string;
  target: string;
  result: string;
  arguments: unknown;
}

export interface WorkerRow {
  worker: string;
  agent: string;
  state: string;
  reason: string;
  running: number;
  "start-count": number;
}

/** Data of the server-sent events `snapshot` and `change`. */
export interface LiveEvent {
  sequence: number;
  model: string;
  kind: string;
  key: string;
  entity: unknown;
}

export interface Check {
  name: string;
  ok: boolean;
  reason: string;
}

export interface Probe {
  status: string;
  checks: Check[];
}

/** Key figures of the last hour; every array of `series` is as long as `times`. */
export interface Figures {
  /** Seconds between two samples. */
  step: number;
  times: number[];
  series: Record<string, (number | null)[]>;
  /** `per-second`, `seconds`, `bytes`, `count` or `cores`, by series. */
  units: Record<string, string>;
}

export interface NodeView {
  name: string;
  state: string;
  inputs: string[];
  "start-count": number;
  "started-at": number | null;
  error: string | null;
  "waits-for": string | null;
  report: unknown;
}

export interface EngineView {
  id: string;
  kind: string;
  name: string;
  parent: string | null;
  "parent-node": string | null;
  state: string;
  error: string | null;
  nodes: NodeView[];
}

export interface EngineMap {
  engines: EngineView[];
  "left-out": number;
}
