/** What goes along when units, applications or machines are removed together. Pure. */
import type { MachineInfo, RelationInfo, StorageInfo, UnitInfo } from "../../api/types";
import { natural } from "../attention";
import { relationsOf, subordinatesOf, unitsGoingWith } from "../relations";
import { type Going, goingWithApplication, goingWithUnits } from "../storage";

export interface Model {
  units: readonly UnitInfo[];
  machines: readonly MachineInfo[];
  relations: readonly RelationInfo[];
  storages: readonly StorageInfo[];
}

export interface Along {
  /** Units that are removed because what they belong to is. */
  units: string[];
  /** Units in the containers of those. */
  subordinates: string[];
  /** Machines that nobody else uses. */
  machines: string[];
  relations: string[];
  storages: Going[];
}

/** Machines on which nothing but those units runs. */
function emptied(machines: readonly MachineInfo[], going: ReadonlySet<string>): string[] {
  return machines
    .filter(({ units }) => units.some((unit) => going.has(unit)) && units.every((unit) => going.has(unit)))
    .map(({ id }) => id)
    .sort(natural);
}

export function alongWithUnits(names: readonly string[], model: Model): Along {
  const own = new Set(names);
  const subordinates = subordinatesOf(own, model.units).filter((unit) => !own.has(unit));
  const going = new Set([...own, ...subordinates]);
  return {
    units: [],
    subordinates,
    machines: emptied(model.machines, going),
    relations: [],
    storages: goingWithUnits(model.storages, [...going]),
  };
}

export function alongWithApplications(names: readonly string[], model: Model): Along {
  const wanted = new Set(names);
  const own = new Set(model.units.filter(({ application }) => wanted.has(application)).map(({ name }) => name));
  const ended = [...new Set(names.flatMap((name) => relationsOf(model.relations, name)))];
  const beside = new Set([
    ...subordinatesOf(own, model.units),
    ...unitsGoingWith(ended, model.units, model.relations),
  ]);
  const subordinates = [...beside].filter((unit) => !own.has(unit)).sort(natural);
  const going = new Set([...own, ...subordinates]);
  const storages = new Map<string, Going>();
  for (const name of names) {
    for (const each of goingWithApplication(model.storages, name, [...going])) {
      const known = storages.get(each.storage.id);
      storages.set(each.storage.id, { ...each, owned: each.owned || known?.owned === true });
    }
  }
  return {
    units: [...own].sort(natural),
    subordinates,
    machines: emptied(model.machines, going),
    relations: ended.map(({ key }) => key),
    storages: [...storages.values()],
  };
}

/** Units on machines go along only by force; without it such machines are refused. */
export function alongWithMachines(ids: readonly string[], model: Model): Along {
  const wanted = new Set(ids);
  const on = model.units.filter(({ machine }) => machine != null && wanted.has(machine));
  const principals = on.filter(({ principal }) => !principal).map(({ name }) => name);
  const subordinates = on.filter(({ principal }) => principal).map(({ name }) => name);
  return {
    units: principals.sort(natural),
    subordinates: subordinates.sort(natural),
    machines: [],
    relations: [],
    storages: goingWithUnits(model.storages, [...principals, ...subordinates]),
  };
}
