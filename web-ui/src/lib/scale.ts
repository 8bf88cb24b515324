/** Which units go when an application is scaled down: the newest, its leader last. */
import type { UnitInfo } from "../api/types";
import { natural } from "./attention";

export function leaving(units: readonly UnitInfo[], wanted: number): string[] {
  const alive = units.filter((unit) => unit.life === "alive");
  const excess = alive.length - wanted;
  if (excess <= 0) return [];
  return alive
    .toSorted((a, b) => Number(a.leader) - Number(b.leader) || natural(b.name, a.name))
    .slice(0, excess)
    .map((unit) => unit.name)
    .sort(natural);
}
