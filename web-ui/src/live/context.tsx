/** The event stream of the page that is shown: one for the whole tab, its scope set by the route. */
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { models, session } from "../api";
import { ApiError } from "../api/client";
import * as paths from "../api/paths";
import type {
  ApplicationInfo,
  CharmInfo,
  LiveEvent,
  MachineInfo,
  ModelSummary,
  OperationInfo,
  RelationInfo,
  SecretInfo,
  StorageInfo,
  UnitInfo,
} from "../api/types";
import { Connection, type Health, type Outage } from "./connection";
import { LiveState } from "./state";

interface Live {
  state: LiveState;
  connection: Connection | null;
}

const LiveContext = createContext<Live>({ state: new LiveState(), connection: null });

/** Each page has a connection of its own; that the controller is gone is known to all of them. */
const outage: Outage = { began: null };

/**
 * Whether the stream's model is there for this visitor. A refused stream does not say why; a
 * request does, and one that finds the session over leads to the sign-in page.
 */
async function isThere(model: string | null, queries: QueryClient): Promise<boolean> {
  try {
    await (model === null ? session.current() : models.show(model));
    return true;
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401) void queries.invalidateQueries({ queryKey: ["session"] });
    return model === null || ![403, 404].includes(status);
  }
}

/** Whether something may be asked for again without anybody wanting it: what goes on record may not. */
export const isFree = ({ meta }: Pick<Query, "meta">): boolean => meta?.["onRecord"] !== true;

/** What a change makes stale among the answers that are not in the stream. */
function staleKeys(event: LiveEvent): unknown[][] {
  switch (event.kind) {
    case "application":
      return [["application", event.key], ["history", event.key], ["reachability"], ["incidents"], ["timeline"]];
    case "unit":
      return [["history", event.key], ["log-tail", event.key], ["workloads", event.key], ["reachability"], ["incidents"]];
    case "machine":
      return [["history", event.key], ["incidents"]];
    case "hook":
      return [["hooks"], ["log-tail"], ["incidents"], ["timeline"]];
    case "relation":
      // Told whenever somebody enters it or changes settings in it.
      return [["bags"], ["reachability"]];
    case "model":
      return [["model-config"], ["access"], ["reachability"], ["incidents"], ["timeline"]];
    case "storage":
      return [["storage-pools"]];
    case "alert":
      return [["alerts"], ["alert-rules"], ["alert-deliveries"]];
    case "user":
      return [["users"], ["access"]];
    default:
      return [];
  }
}

export function LiveProvider({ model, children }: { model: string | null; children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>(() => ({ state: new LiveState(), connection: null }));
  useEffect(() => {
    const state = new LiveState();
    const connection = new Connection(paths.events(model), state, () => isThere(model, queries), outage);
    let stale = new Map<string, unknown[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unlisten = state.onEvent((event) => {
      for (const key of staleKeys(event)) stale.set(JSON.stringify(key), key);
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const queryKey of stale.values()) void queries.invalidateQueries({ queryKey });
        stale = new Map();
      }, 250);
    });
    let wasStale = connection.health.state === "stale";
    const unhealth = connection.subscribe(() => {
      if (connection.health.state === "stale") wasStale = true;
      else if (wasStale) {
        wasStale = false;
        void queries.invalidateQueries({ predicate: isFree });
      }
    });
    setLive({ state, connection });
    return () => {
      clearTimeout(timer);
      unlisten();
      unhealth();
      connection.close();
    };
  }, [model, queries]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

export function useHealth(): { health: Health; retry: () => void } {
  const { connection } = useContext(LiveContext);
  const subscribe = useCallback(
    (listener: () => void) => connection?.subscribe(listener) ?? (() => {}),
    [connection],
  );
  const health = useSyncExternalStore<Health>(
    subscribe,
    () => connection?.health ?? CONNECTING,
  );
  return { health, retry: () => connection?.now() };
}

const CONNECTING: Health = { state: "connecting" };

function useTable<T>(read: (state: LiveState) => T): T {
  const { state } = useContext(LiveContext);
  return useSyncExternalStore(state.subscribe, () => read(state));
}

/** Hears of every change in what the page is about. */
export function useEvents(listener: (event: LiveEvent) => void): void {
  const { state } = useContext(LiveContext);
  useEffect(() => state.onEvent(listener), [state, listener]);
}

/** False until the first whole snapshot is there. */
export function useReady(): boolean {
  return useTable((state) => state.ready);
}

export interface Placed<T> {
  model: string;
  entity: T;
}

export function useEverywhere<T>(kind: string): readonly Placed<T>[] {
  return useTable((state) => state.everywhere<Placed<T>>(kind));
}

export function useModels(): ModelSummary[] {
  const placed = useEverywhere<ModelSummary>("model");
  return useMemo(() => placed.map(({ entity }) => entity), [placed]);
}

export interface ModelEntities {
  model: ModelSummary | undefined;
  applications: readonly ApplicationInfo[];
  units: readonly UnitInfo[];
  machines: readonly MachineInfo[];
  relations: readonly RelationInfo[];
  charms: readonly CharmInfo[];
}

/** Everything the stream knows of the model with this name or UUID. */
export function useModel(name: string): ModelEntities {
  const models = useEverywhere<ModelSummary>("model");
  const found = models.find(({ entity }) => entity.name === name || entity.uuid === name);
  const uuid = found?.model || found?.entity.uuid || "";
  const applications = useTable((state) => state.table<ApplicationInfo>(uuid, "application"));
  const units = useTable((state) => state.table<UnitInfo>(uuid, "unit"));
  const machines = useTable((state) => state.table<MachineInfo>(uuid, "machine"));
  const relations = useTable((state) => state.table<RelationInfo>(uuid, "relation"));
  const charms = useTable((state) => state.table<CharmInfo>(uuid, "charm"));
  return { model: found?.entity, applications, units, machines, relations, charms };
}

/** Secrets of the model, without their values. */
export function useSecrets(name: string): readonly SecretInfo[] {
  const { model } = useModel(name);
  return useTable((state) => state.table<SecretInfo>(model?.uuid ?? "", "secret"));
}

/** Storage of the model, what is being taken away among it. */
export function useStorages(name: string): readonly StorageInfo[] {
  const { model } = useModel(name);
  return useTable((state) => state.table<StorageInfo>(model?.uuid ?? "", "storage"));
}

/** Operations of the model that were told of while this page was open: they are no part of the stream's beginning. */
export function useToldOperations(name: string): readonly OperationInfo[] {
  const { model } = useModel(name);
  return useTable((state) => state.table<OperationInfo>(model?.uuid ?? "", "operation"));
}
