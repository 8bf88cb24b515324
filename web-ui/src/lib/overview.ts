/** What of a model fits a filter: words to be found, and a status as it is shown. */
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../api/types";
import { machineStatus, natural, unitMessage, unitStatus } from "./attention";

export interface Wanted {
  /** Found in a name, a status or a message. */
  text: string;
  /** Exactly this status; any when empty. */
  status: string;
}

export function narrowed(
  { applications, units, machines }: {
    applications: readonly ApplicationInfo[];
    units: readonly UnitInfo[];
    machines: readonly MachineInfo[];
  },
  { text, status }: Wanted,
): { applications: ApplicationInfo[]; units: UnitInfo[]; machines: MachineInfo[] } {
  const needle = text.trim().toLowerCase();
  const fits = (own: string, ...words: string[]): boolean =>
    (status === "" || own === status) &&
    [own, ...words].some((word) => word.toLowerCase().includes(needle));
  return {
    applications: applications
      .filter(({ name, status: own, charm }) => fits(own.status, name, own.message, charm))
      .sort((a, b) => natural(a.name, b.name)),
    units: units.filter((unit) =>
      fits(unitStatus(unit), unit.name, unit.workload.status, unit.agent.status, unitMessage(unit)),
    ),
    machines: machines.filter((machine) =>
      fits(machineStatus(machine), machine.id, machine.instance.status, machine.agent.status, machine["instance-id"], ...machine.units),
    ),
  };
}
