/** The settings of a relation, side by side, put together from what its units see. Pure. */
import type { RelationInfo, Settings, UnitInfo, UnitRelation } from "../api/types";
import { natural } from "./attention";
import { applicationOf } from "./relations";

export interface UnitSettings {
  name: string;
  inScope: boolean;
  data: Settings;
}

/** What one side has said: its application, and each of its units. */
export interface SideSettings {
  application: string;
  endpoint: string;
  /** None when nobody who sees it was asked. */
  data: Settings | null;
  units: UnitSettings[];
}

/** Both sides of a relation as a unit sees them, its own first; one side for peers. */
export function sidesSeen(unit: string, seen: UnitRelation): SideSettings[] {
  const own: SideSettings = {
    application: applicationOf(unit),
    endpoint: seen.endpoint,
    data: seen["local-application-data"],
    units: [{ name: unit, inScope: seen["local-unit"]["in-scope"], data: seen["local-unit"].data }],
  };
  const others = Object.entries(seen["related-units"]).map(([name, bag]) => ({
    name,
    inScope: bag["in-scope"],
    data: bag.data,
  }));
  if (seen["related-application"] === own.application) {
    return [{ ...own, units: ordered([...own.units, ...others]) }];
  }
  return [
    own,
    {
      application: seen["related-application"],
      endpoint: seen["related-endpoint"],
      data: seen["application-data"],
      units: ordered(others),
    },
  ];
}

const ordered = (units: UnitSettings[]): UnitSettings[] =>
  units.toSorted((a, b) => natural(a.name, b.name));

/** Both sides of a relation, from one unit or more that see it. */
export function sidesOfRelation(
  relation: RelationInfo,
  asked: readonly UnitInfo[],
): SideSettings[] {
  const sides = relation.endpoints.map(
    ({ application, name }): SideSettings => ({ application, endpoint: name, data: null, units: [] }),
  );
  for (const unit of asked) {
    const seen = unit.relations?.find((each) => each["relation-id"] === relation.id);
    if (!seen) continue;
    for (const found of sidesSeen(unit.name, seen)) {
      const side = sides.find(({ application }) => application === found.application);
      if (!side) continue;
      side.data ??= found.data;
      for (const one of found.units) {
        if (!side.units.some(({ name }) => name === one.name)) side.units.push(one);
      }
    }
  }
  return sides.map((side) => ({ ...side, units: ordered(side.units) }));
}

/** The unit in whose container another lives; itself for a principal. */
export const containerOf = (unit: UnitInfo): string => unit.principal ?? unit.name;

/**
 * Units to ask for a relation's settings: one of each side, since each sees all of the other.
 * Within a container they see only who lives there, so `container` says which one is meant.
 */
export function unitsToAsk(
  relation: RelationInfo,
  units: readonly UnitInfo[],
  container: string | null,
): string[] {
  return relation.endpoints.flatMap(({ application }) => {
    const [first] = units
      .filter((unit) => unit.application === application)
      .filter((unit) => container === null || containerOf(unit) === container)
      .sort((a, b) => natural(a.name, b.name));
    return first ? [first.name] : [];
  });
}

/** The containers in which both sides of a relation have a unit. */
export function containersOf(relation: RelationInfo, units: readonly UnitInfo[]): string[] {
  const [one, ...others] = relation.endpoints.map(
    ({ application }) =>
      new Set(units.filter((unit) => unit.application === application).map(containerOf)),
  );
  return [...(one ?? [])].filter((name) => others.every((other) => other.has(name))).sort(natural);
}
