/** Units in the order `status` lists them: by name, subordinates under their principal. */
import type { UnitInfo } from "../api/types";
import { natural } from "./attention";

export interface Nested {
  unit: UnitInfo;
  depth: 0 | 1;
}

export function nest(units: readonly UnitInfo[]): Nested[] {
  const known = new Set(units.map((unit) => unit.name));
  const under = new Map<string, UnitInfo[]>();
  const top: UnitInfo[] = [];
  for (const unit of units) {
    if (unit.principal && known.has(unit.principal)) {
      const beside = under.get(unit.principal);
      if (beside) beside.push(unit);
      else under.set(unit.principal, [unit]);
    } else {
      top.push(unit);
    }
  }
  const byName = (a: UnitInfo, b: UnitInfo): number => natural(a.name, b.name);
  return top.sort(byName).flatMap((unit) => [
    { unit, depth: 0 as const },
    ...(under.get(unit.name) ?? []).sort(byName).map((unit) => ({ unit, depth: 1 as const })),
  ]);
}
