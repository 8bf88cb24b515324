/** Units in the order of a table: by name with subordinates under their principal, else by a column. Pure. */
import type { UnitInfo } from "../../api/types";
import { nest } from "../nesting";
import { type Key, ordered, type Sort } from "./order";

export interface OrderedUnits {
  units: UnitInfo[];
  /** Those that stand below their principal. */
  nested: ReadonlySet<string>;
}

export function orderedUnits(
  units: readonly UnitInfo[],
  sort: Sort,
  keysOf: ((unit: UnitInfo) => readonly Key[]) | undefined,
): OrderedUnits {
  if (keysOf && (sort.column !== "name" || sort.descending)) {
    return { units: ordered(units, keysOf, sort.descending), nested: new Set() };
  }
  const listed = nest(units);
  return {
    units: listed.map(({ unit }) => unit),
    nested: new Set(listed.filter(({ depth }) => depth > 0).map(({ unit }) => unit.name)),
  };
}
