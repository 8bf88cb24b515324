/** How an application gets the number of units that it is to have. */
import type { UnitInfo } from "../api/types";
import { natural } from "./attention";

/** Units at most that one application is scaled to from the page. */
export const MOST_UNITS = 1000;

/** What is wrong with a number of units; nothing where it can be one. */
export const unitsError = (text: string): string | null =>
  /^\d+$/.test(text) && Number(text) <= MOST_UNITS ? null : `A number from 0 to ${MOST_UNITS}`;

/** Units that do not leave already. */
export const aliveUnits = (units: readonly UnitInfo[]): UnitInfo[] => units.filter(({ life }) => life === "alive");

/** Which units the controller removes when an application is scaled down: those with the highest numbers. */
export function leaving(units: readonly UnitInfo[], wanted: number): string[] {
  const names = aliveUnits(units).map(({ name }) => name);
  return names.sort(natural).slice(wanted);
}
