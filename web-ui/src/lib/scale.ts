/** How an application gets the number of units that it is to have. */
import { applications, units as unitApi } from "../api";
import type { UnitInfo } from "../api/types";
import { natural } from "./attention";

/** Units at most that one application is scaled to from the page. */
export const MOST_UNITS = 1000;

/** What is wrong with a number of units; nothing where it can be one. */
export const unitsError = (text: string): string | null =>
  /^\d+$/.test(text) && Number(text) <= MOST_UNITS ? null : `A number from 0 to ${MOST_UNITS}`;

/** Units that do not leave already. */
export const aliveUnits = (units: readonly UnitInfo[]): UnitInfo[] => units.filter(({ life }) => life === "alive");

/** Which units go when an application is scaled down: the newest, its leader last. */
export function leaving(units: readonly UnitInfo[], wanted: number): string[] {
  const alive = aliveUnits(units);
  const excess = alive.length - wanted;
  if (excess <= 0) return [];
  return alive
    .toSorted((a, b) => Number(a.leader) - Number(b.leader) || natural(b.name, a.name))
    .slice(0, excess)
    .map((unit) => unit.name)
    .sort(natural);
}

/** Adds what is missing, or removes what is too many. */
export async function scaleTo(
  model: string,
  application: string,
  units: readonly UnitInfo[],
  wanted: number,
): Promise<void> {
  const more = wanted - aliveUnits(units).length;
  if (more > 0) await applications.addUnits(model, application, more);
  for (const unit of leaving(units, wanted)) await unitApi.remove(model, unit, false, false);
}
