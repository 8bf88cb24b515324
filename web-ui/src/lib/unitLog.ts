/** Which lines of a unit's log are shown. */
import type { ServiceInfo } from "../api/types";
import type { LogFilter } from "../live/lines";

/** What the charm and its agent write. */
export const WITHOUT = "-";
/** What services write is under this module, by container and name. */
const MODULE = "workload";

/** `CONTAINER/SERVICE` with its words; nothing to choose where nothing serves. */
export function logChoices(services: readonly ServiceInfo[], chosen: string): [value: string, label: string][] {
  const names = new Set(services.map(({ container, service }) => `${container}/${service}`));
  if (chosen && chosen !== WITHOUT) names.add(chosen);
  if (names.size === 0 && !chosen) return [];
  return [
    ["", "Charm and services"],
    [WITHOUT, "Charm only"],
    ...[...names].map((name): [string, string] => [name, `Service ${name}`]),
  ];
}

export function filterOf(unit: string, chosen: string): LogFilter {
  const filter: LogFilter = { include: unit, tail: 200 };
  if (chosen === WITHOUT) return { ...filter, "exclude-module": MODULE };
  return chosen ? { ...filter, "include-module": `${MODULE}.${chosen.replace("/", ".")}` } : filter;
}
