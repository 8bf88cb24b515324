/**
 * Shapes the charts take. Those named as in the API are taken from its description; where a chart
 * reads a part only, that part is listed, so a whole reply fits and a test needs no more.
 */
import type * as api from '../../api/types';

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
  /** A filter does not fit it: it is drawn fainter, because it is related to what fits. */
  neighbour?: boolean | undefined;
  /** What a plan makes of it. */
  mark?: PlanMark | undefined;
}

/** `removed` is what only the model has: a bundle that is applied leaves it in place. */
export type PlanMark = 'added' | 'changed' | 'removed';

export const PLAN_MARKS: Record<PlanMark, string> = {
  added: 'added',
  changed: 'changed',
  removed: 'not in the bundle',
};

export type { HistoryEntry, LogRecord, RelationEndpoint } from '../../api/types';

export type RelationInfo = Pick<api.RelationInfo, 'id' | 'endpoints' | 'interface' | 'scope'> & {
  status: Pick<api.RelationInfo['status'], 'status'>;
  /** That flow by it, as far as it is known: `80/tcp`. */
  ports?: string[] | undefined;
};

/** One run of one hook; durations in microseconds. */
export type HookRun = Pick<
  api.HookRun,
  | 'id'
  | 'unit'
  | 'application'
  | 'hook'
  | 'charm'
  | 'started-at'
  | 'duration'
  | 'result'
  | 'code'
  | 'message'
  | 'effects'
>;

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

/** A node of a dependency engine, in one state for the eye. */
export type EngineNode = Pick<api.NodeView, 'name' | 'inputs' | 'error' | 'waits-for'> &
  Partial<Pick<api.NodeView, 'start-count'>> & {
    state: EngineNodeState;
    /** As machines write it. */
    'started-at'?: string | undefined;
  };

export type { ConfigChange, ConfigKind, ConfigValue } from '../../api/types';

/** An option of a charm, with what only options of models and of the controller tell. */
export type ConfigOption = api.ConfigOption & {
  /** What its values are, where `type` says it only roughly: `duration`. */
  kind?: string | undefined;
  /** The values it takes; any when left out. */
  choices?: string[] | undefined;
  /** It can be set and never read: `settings` tells that it is set, by whatever value. */
  'write-only'?: boolean | undefined;
  /** It is taken so that others' scripts work, and changes nothing. */
  idle?: boolean | undefined;
};

export interface ConfigSchema {
  options: Record<string, ConfigOption>;
}

export type ApplicationConfig = Omit<api.ApplicationConfig, 'schema'> & { schema: ConfigSchema };
