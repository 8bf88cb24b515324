/** What needs a person, worst first. */
import type { ApplicationInfo, MachineInfo, RelationInfo, UnitInfo } from "../api/types";

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

/** What a unit is to be called: its agent's trouble comes before its workload's word. */
export function unitStatus(unit: UnitInfo): string {
  if (unit.agent.status === "lost" || unit.agent.status === "failed") return unit.agent.status;
  return unit.workload.status;
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
    const message = status === unit.workload.status ? unit.workload.message : unit.agent.message;
    found.push({ kind: "unit", name: unit.name, status, message });
  }
  for (const application of applications) {
    if (isUrgent(application.status.status) && !explained.has(application.name)) {
      const { status, message } = application.status;
      found.push({ kind: "application", name: application.name, status, message });
    }
  }
  for (const machine of machines) {
    const status = isUrgent(machine["instance-status"])
      ? machine["instance-status"]
      : machine["agent-status"];
    if (!isUrgent(status)) continue;
    const message = machine["instance-message"] || machine["agent-message"];
    found.push({ kind: "machine", name: machine.id, status, message });
  }
  for (const { id, key, status, message } of relations) {
    if (isUrgent(status)) found.push({ kind: "relation", id, name: key, status, message });
  }
  return found.sort(
    (a, b) => severity(a.status) - severity(b.status) || natural(a.name, b.name),
  );
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
