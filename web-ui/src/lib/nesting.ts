/** Units in the order `status` lists them: by name, subordinates under their principal. */
import type { UnitInfo } from "../api/types";
import { ordered, unitKeys } from "./fleet/order";

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
  const byName = (some: readonly UnitInfo[]): UnitInfo[] => ordered(some, ({ name }) => unitKeys(name));
  return byName(top).flatMap((unit) => {
    const below = under.get(unit.name);
    const first: Nested = { unit, depth: 0 };
    return below ? [first, ...byName(below).map((unit): Nested => ({ unit, depth: 1 }))] : [first];
  });
}
