/** What of a model fits a filter: words to be found, and statuses as they are shown. */
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../api/types";
import { machineStatus, unitMessage, unitStatus } from "./attention";

export interface Wanted {
  /** Found in a name, a status or a message. */
  text: string;
  /** One of these; any when there is none. */
  statuses: readonly string[];
}

export const applicationStatus = ({ status }: ApplicationInfo): string => status.status;

/**
 * What is searched in a row, in small letters. Each key of a filter looks at all rows of the model,
 * so it is made once for each state of a row: rows are new objects when they change.
 */
function searched<R extends object>(wordsOf: (row: R) => readonly string[]): (row: R) => string {
  const known = new WeakMap<R, string>();
  return (row) => {
    let text = known.get(row);
    if (text === undefined) {
      text = wordsOf(row).join("\n").toLowerCase();
      known.set(row, text);
    }
    return text;
  };
}

const applicationText = searched<ApplicationInfo>(({ name, status, charm }) => [name, status.status, status.message, charm]);

const unitText = searched<UnitInfo>((unit) => [
  unit.name,
  unitStatus(unit),
  unit.workload.status,
  unit.agent.status,
  unitMessage(unit),
]);

const machineText = searched<MachineInfo>((machine) => [
  machine.id,
  machineStatus(machine),
  machine["instance-status"],
  machine["agent-status"],
  machine["instance-id"],
  ...machine.units,
]);

function fitting<R>(rows: readonly R[], textOf: (row: R) => string, text: string): readonly R[] {
  const needle = text.trim().toLowerCase();
  return needle === "" ? rows : rows.filter((row) => textOf(row).includes(needle));
}

function inStatus<R>(rows: readonly R[], statusOf: (row: R) => string, statuses: readonly string[]): readonly R[] {
  if (statuses.length === 0) return rows;
  const wanted = new Set(statuses);
  return rows.filter((row) => wanted.has(statusOf(row)));
}

/** Rows with the words, and those of them in a wanted status. */
export interface Narrowed<R> {
  found: readonly R[];
  shown: readonly R[];
}

function narrow<R>(
  rows: readonly R[],
  textOf: (row: R) => string,
  statusOf: (row: R) => string,
  { text, statuses }: Wanted,
): Narrowed<R> {
  const found = fitting(rows, textOf, text);
  return { found, shown: inStatus(found, statusOf, statuses) };
}

export const narrowedApplications = (rows: readonly ApplicationInfo[], wanted: Wanted): Narrowed<ApplicationInfo> =>
  narrow(rows, applicationText, applicationStatus, wanted);

export const narrowedUnits = (rows: readonly UnitInfo[], wanted: Wanted): Narrowed<UnitInfo> =>
  narrow(rows, unitText, unitStatus, wanted);

export const narrowedMachines = (rows: readonly MachineInfo[], wanted: Wanted): Narrowed<MachineInfo> =>
  narrow(rows, machineText, machineStatus, wanted);
