/** Operations and their tasks, as what is told of them arrives. Pure. */
import type { ActionInfo, OperationInfo, TaskInfo, TaskStatus, UnitInfo } from "../api/types";
import { durationText, micros, roughDuration } from "../components/charts/time";
import type { Options, Target } from "./actions/request";
import { joined } from "./actions/words";

export const STATUSES: readonly TaskStatus[] = [
  "pending",
  "running",
  "aborting",
  "completed",
  "failed",
  "cancelled",
  "aborted",
];

export function hasEnded(status: TaskStatus): boolean {
  return !["pending", "running", "aborting"].includes(status);
}

/** Whether it can be taken back, or told to stop. */
export function canCancel(status: TaskStatus): boolean {
  return status === "pending" || status === "running";
}

/** A task only ever goes on: waiting, running, stopping, over. */
function step(status: TaskStatus): number {
  return hasEnded(status) ? 3 : ["pending", "running", "aborting"].indexOf(status);
}

/** Of two things told of one task, in whatever order they came, the later; without what only one of them has. */
export function furtherTask(one: TaskInfo, other: TaskInfo): TaskInfo {
  return step(one.status) > step(other.status) ? one : other;
}

/** What counts first among the tasks of an operation: what is not over, then what went wrong. */
const ORDER: readonly TaskStatus[] = ["running", "aborting", "pending", "failed", "aborted", "cancelled", "completed"];

export function operationStatus(tasks: readonly TaskInfo[]): TaskStatus {
  return ORDER.find((status) => tasks.some((task) => task.status === status)) ?? "completed";
}

/** What is known of an operation from two sides, each of which may be behind in some of its tasks. */
export function mergedOperation(one: OperationInfo, other: OperationInfo | undefined): OperationInfo {
  if (!other || other === one) return one;
  const others = new Map(other.tasks.map((task) => [task.id, task]));
  const tasks = one.tasks.map((task) => {
    const same = others.get(task.id);
    return same ? furtherTask(task, same) : task;
  });
  const status = operationStatus(tasks);
  const merged: OperationInfo = { ...other, ...one, tasks, status };
  const started = one["started-at"] ?? other["started-at"];
  const completed = hasEnded(status) ? (one["completed-at"] ?? other["completed-at"]) : undefined;
  delete merged["started-at"];
  delete merged["completed-at"];
  if (started != null) merged["started-at"] = started;
  if (completed != null) merged["completed-at"] = completed;
  return merged;
}

/** The same text as long as no operation comes, goes or changes its status. */
export function statusesOf(operations: readonly OperationInfo[]): string {
  return operations
    .toSorted((one, other) => one.id - other.id)
    .map(({ id, status }) => `${id} ${status}`)
    .join();
}

interface Timed {
  "started-at"?: string | null;
  "completed-at"?: string | null;
  status: TaskStatus;
}

/** How long it took, or has been running; none before it began. */
export function tookText(timed: Timed, now: number): string {
  const { "started-at": began, "completed-at": ended, status } = timed;
  if (began == null) return "—";
  if (ended != null) return durationText(Math.max(0, micros(ended) - micros(began)));
  return hasEnded(status) ? "—" : `${roughDuration(Math.max(0, now - micros(began)))} so far`;
}

/** What was asked for: an action's name, or the words of a command. */
export function askedText(task: Pick<TaskInfo, "action" | "command">): string {
  return task.action || joined(task.command ?? []);
}

/** Who runs it: `site/0`, or `machine-0`. */
export function receiverOf({ unit, machine }: Pick<TaskInfo, "unit" | "machine">): string {
  return unit ?? `machine-${machine ?? ""}`;
}

/** Its units, in their order; none where machines were asked. */
function unitsOf({ tasks }: Pick<OperationInfo, "tasks">): string[] {
  return tasks.flatMap(({ unit }) => (unit == null ? [] : [unit]));
}

/** The applications of its units, in their order. */
export function applicationsOf(operation: Pick<OperationInfo, "tasks">): string[] {
  return [...new Set(unitsOf(operation).map((unit) => unit.slice(0, unit.lastIndexOf("/"))))];
}

/** `user-admin` is `admin`. */
export const whoAsked = (user: string): string => user.replace(/^user-/, "");

/** Tasks whose details are open at first: all of a few, else the first that failed, or the first of all. */
export function openAtFirst(tasks: readonly TaskInfo[]): number[] {
  if (tasks.length <= 3) return tasks.map(({ id }) => id);
  const first = tasks.find(({ status }) => status === "failed") ?? tasks[0];
  return first ? [first.id] : [];
}

export interface Again {
  parameters: Record<string, unknown>;
  words: readonly string[];
  target: Target;
  options: Options;
}

/** What an operation was given, to be run once more; on those of its units that are still there. */
export function againOf(operation: OperationInfo, units: readonly UnitInfo[], action: ActionInfo | undefined): Again {
  const [task] = operation.tasks;
  const asked = new Set(unitsOf(operation));
  const left = units.map(({ name }) => name).filter((name) => asked.has(name));
  const { parallel = false, "execution-group": group = "", timeout, parameters = {}, command = [] } = task ?? {};
  const asTheCharmSays = parallel === (action?.parallel ?? false);
  return {
    parameters,
    words: command.slice(1),
    target: { who: left.length === units.length ? "all" : "named", units: left },
    options: {
      timeout: timeout ? String(timeout / 1000) : "",
      parallel: asTheCharmSays ? "" : parallel ? "true" : "false",
      group: group === (action?.["execution-group"] ?? "") ? "" : group,
    },
  };
}
