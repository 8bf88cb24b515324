/**
 * Shapes the charts take. Those named as in the API are its JSON, member for member; only the
 * members a chart reads are listed, so a whole reply fits.
 */

/** An application as the topology draws it. */
export interface TopologyApplication {
  name: string;
  status: string;
  message: string;
  /** Number of units. */
  units: number;
  /** Workload status of each unit, in order. */
  unitStatuses: string[];
  charm: string;
  subordinate: boolean;
}

export interface RelationEndpoint {
  application: string;
  name: string;
  /** `provider`, `requirer` or `peer`. */
  role: string;
}

export interface RelationInfo {
  id: number;
  endpoints: RelationEndpoint[];
  interface: string;
  /** `global` or `container`. */
  scope: string;
  status: string;
  message?: string | undefined;
  /** That flow by it, as far as it is known: `80/tcp`. */
  ports?: string[] | undefined;
}

/** One run of one hook; times and durations in microseconds. */
export interface HookRun {
  id: number;
  unit: string;
  application: string;
  hook: string;
  charm: string;
  'started-at': number;
  duration: number;
  /** `ok` or `failed`. */
  result: string;
  code: string;
  message: string;
  effects: string[];
}

/** A line of the status history. */
export interface HistoryEntry {
  time: number;
  /** `workload`, `juju-unit`, `application`, `machine` or `juju-machine`. */
  kind: string;
  status: string;
  message: string;
}

/** A line of the log. */
export interface LogRecord {
  time: number;
  entity: string;
  /** `TRACE`, `DEBUG`, `INFO`, `WARNING` or `ERROR`. */
  level: string;
  module: string;
  message: string;
}

export interface Point {
  /** Microseconds. */
  time: number;
  value: number | null;
}

export interface Series {
  name: string;
  points: Point[];
}

export type EngineNodeState =
  | 'starting'
  | 'started'
  | 'stopping'
  | 'stopped'
  | 'resting'
  | 'error'
  | 'uninstalled';

/** A node of a dependency engine. */
export interface EngineNode {
  name: string;
  state: EngineNodeState;
  /** Names of the nodes it needs. */
  inputs: string[];
  'start-count'?: number | undefined;
  'started-at'?: string | undefined;
  error?: string | undefined;
  /** The input a resting node waits for. */
  'waits-for'?: string | undefined;
}

export type ConfigValue = string | number | boolean;

export type ConfigKind = 'string' | 'int' | 'float' | 'boolean' | 'secret';

export interface ConfigOption {
  type: ConfigKind;
  /** What its values are, where `type` says it only roughly: `duration`. */
  kind?: string | undefined;
  /** The values it takes; any when left out. */
  choices?: string[] | undefined;
  /** It can be set and never read: `settings` tells that it is set, by whatever value. */
  'write-only'?: boolean | undefined;
  description?: string | undefined;
  default?: ConfigValue | null | undefined;
}

export interface ConfigSchema {
  options: Record<string, ConfigOption>;
}

export interface ApplicationConfig {
  application: string;
  charm: string;
  schema: ConfigSchema;
  /** What was set, without defaults. */
  settings: Record<string, ConfigValue>;
  effective: Record<string, ConfigValue>;
}

/** Sets and resets in one step. */
export interface ConfigChange {
  set: Record<string, ConfigValue>;
  reset: string[];
}
