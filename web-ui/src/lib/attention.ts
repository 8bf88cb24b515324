/** What needs a person, worst first. */
import type { ApplicationInfo, MachineInfo, RelationInfo, UnitInfo } from "../api/types";
import { failedHook } from "./failedHook";

/** Juju's order of severity, worst first; unknown words stand with `unknown`. */
const SEVERITY = [
  "error",
  "lost",
  "failed",
  "down",
  "provisioning error",
  "blocked",
  "destroying",
  "maintenance",
  "waiting",
  "allocating",
  "pending",
  "executing",
  "unknown",
  "active",
  "idle",
  "started",
  "running",
  "available",
  "terminated",
  "unset",
];

export function severity(status: string): number {
  const place = SEVERITY.indexOf(status);
  return place < 0 ? SEVERITY.indexOf("unknown") : place;
}

/** Statuses that do not pass by themselves. */
const URGENT = new Set(["error", "lost", "failed", "down", "provisioning error", "blocked", "suspended"]);

export const isUrgent = (status: string): boolean => URGENT.has(status);

/**
 * The one word for a unit wherever there is room for one: counts, the picture, filters, what needs
 * attention. A silent agent's comes first: what the workload said last may not be true any more.
 */
export function unitStatus(unit: UnitInfo): string {
  if (unit.agent.status === "lost" || unit.agent.status === "failed") return unit.agent.status;
  return unit.workload.status;
}

/** The one word for a machine. */
export function machineStatus(machine: MachineInfo): string {
  const instance = machine.instance.status;
  return isUrgent(instance) ? instance : machine.agent.status;
}

/** What to say of a unit beside its status: why its hook failed, or else its message. */
export function unitMessage(unit: UnitInfo): string {
  if (unitStatus(unit) !== unit.workload.status) return unit.agent.message;
  const failed = failedHook(unit);
  return failed?.reason ? `${failed.what}: ${failed.reason}` : unit.workload.message || unit.agent.message;
}

export interface Concern {
  kind: "unit" | "application" | "machine" | "relation";
  /** What its page is called by. */
  id?: number;
  name: string;
  status: string;
  message: string;
}

/** Units, machines, applications and relations that wait for a person. */
export function concerns(
  applications: readonly ApplicationInfo[],
  units: readonly UnitInfo[],
  machines: readonly MachineInfo[],
  relations: readonly RelationInfo[] = [],
): Concern[] {
  const found: Concern[] = [];
  const explained = new Set<string>();
  for (const unit of units) {
    const status = unitStatus(unit);
    if (!isUrgent(status)) continue;
    explained.add(unit.application);
    found.push({ kind: "unit", name: unit.name, status, message: unitMessage(unit) });
  }
  for (const application of applications) {
    if (isUrgent(application.status.status) && !explained.has(application.name)) {
      const { status, message } = application.status;
      found.push({ kind: "application", name: application.name, status, message });
    }
  }
  for (const machine of machines) {
    const status = machineStatus(machine);
    if (!isUrgent(status)) continue;
    const message = machine.instance.message || machine.agent.message;
    found.push({ kind: "machine", name: machine.id, status, message });
  }
  for (const { id, key, status: { status, message } } of relations) {
    if (isUrgent(status)) found.push({ kind: "relation", id, name: key, status, message });
  }
  return found.sort(
    (a, b) => severity(a.status) - severity(b.status) || natural(a.name, b.name),
  );
}

/** Concerns that are one: units of an application in the same state for the same reason. */
export function grouped(found: readonly Concern[]): Concern[][] {
  const groups = new Map<string, Concern[]>();
  for (const concern of found) {
    const { kind, name, status, message } = concern;
    const of = kind === "unit" ? name.slice(0, name.lastIndexOf("/")) : name;
    const key = JSON.stringify([kind, of, status, message]);
    const group = groups.get(key);
    if (group) group.push(concern);
    else groups.set(key, [concern]);
  }
  return [...groups.values()];
}

const collator = new Intl.Collator("en", { numeric: true });

/** `app10` after `app9`. */
export function natural(a: string, b: string): number {
  return collator.compare(a, b);
}

/** Counts by status, worst first. */
export function tally(statuses: readonly string[]): { status: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .map(([status, count]) => ({ status, count }))
    .sort((a, b) => severity(a.status) - severity(b.status));
}
