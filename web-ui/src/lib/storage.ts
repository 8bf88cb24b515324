/** Storage in words, and what becomes of it when those that have it go. */
import type { CharmInfo, StorageInfo, UnitInfo } from "../api/types";
import { natural } from "./attention";
import { bytes } from "./bytes";

const MIB = 1024 * 1024;

/** How much fits into it; of some it is no more than what was asked for. */
export const sizeOf = ({ size, limited }: StorageInfo): string =>
  limited ? bytes(size * MIB) : `${bytes(size * MIB)}, not enforced`;

/** `data` of `data/0`. */
export const nameOf = ({ id }: StorageInfo): string => id.split("/")[0] ?? id;

/** Whether the units of an application share it, each new one too. */
export const isShared = ({ owner }: StorageInfo): boolean => owner != null && !owner.includes("/");

export const unitsOf = ({ attachments }: StorageInfo): string[] => attachments.map(({ unit }) => unit).sort(natural);

/** By who has it, what nobody has last. */
export function inOrder(storages: readonly StorageInfo[]): StorageInfo[] {
  const key = (storage: StorageInfo): string => unitsOf(storage)[0] ?? "";
  return storages.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    if ((one === "") !== (other === "")) return one === "" ? 1 : -1;
    return natural(one, other) || natural(a.id, b.id);
  });
}

export const ofUnit = (storages: readonly StorageInfo[], unit: string): StorageInfo[] =>
  storages.filter(({ attachments }) => attachments.some((attachment) => attachment.unit === unit));

/** What a model is not destroyed with before somebody says so. */
export const outliving = (storages: readonly StorageInfo[]): StorageInfo[] =>
  storages.filter(({ persistent, life }) => persistent && life === "alive");

/** A storage that somebody who goes has. */
export interface Going {
  storage: StorageInfo;
  /** It belongs to who goes, so it can go as well. */
  owned: boolean;
}

function going(storages: readonly StorageInfo[], units: readonly string[], owners: readonly string[]): Going[] {
  const affected = storages.filter(({ owner, attachments }) =>
    attachments.some(({ unit }) => units.includes(unit)) || (owner != null && owners.includes(owner)),
  );
  return affected.map((storage) => ({ storage, owned: storage.owner == null || owners.includes(storage.owner) }));
}

export const goingWithUnits = (storages: readonly StorageInfo[], units: readonly string[]): Going[] =>
  going(storages, units, units);

/** `units` are all that go with it. */
export const goingWithApplication = (
  storages: readonly StorageInfo[],
  application: string,
  units: readonly string[],
): Going[] => going(storages, units, [application, ...units]);

/** Whether it goes with who has it, and is not only let go of. */
export const goes = ({ storage, owned }: Going, destroy: boolean): boolean => owned && (destroy || !storage.persistent);

/** Units whose charm has a place for it. */
export function placesFor(
  storage: StorageInfo,
  units: readonly UnitInfo[],
  charms: readonly CharmInfo[],
): string[] {
  const declares = new Set(
    charms.filter(({ metadata }) => nameOf(storage) in (metadata.storage ?? {})).map(({ url }) => url),
  );
  const open = units.filter(({ life, charm }) => life === "alive" && declares.has(charm));
  return open.map(({ name }) => name).sort(natural);
}

/** The storages of which a unit of this charm can be given more: none that all units share. */
export function addable(charm: CharmInfo | undefined): string[] {
  const declared = Object.entries(charm?.metadata.storage ?? {});
  const own = declared.filter(([, { shared, type }]) => !shared && type === "filesystem");
  return own.map(([name]) => name).sort(natural);
}

/** MiB, of `512M` or `10G`; nothing where it is not written so. */
export function mibOf(text: string): number | null {
  const found = /^(\d+(?:\.\d+)?)([MGT])?(?:i?B)?$/.exec(text.trim());
  if (!found) return null;
  const mib = Math.ceil(Number(found[1]) * { M: 1, G: 1024, T: 1024 * 1024 }[(found[2] ?? "M") as "M" | "G" | "T"]);
  return mib > 0 && Number.isSafeInteger(mib) ? mib : null;
}

/** What is wrong with the name of a pool; nothing where it can be one. */
export function poolNameError(name: string): string | null {
  return /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(name) ? null : "A letter, then letters, digits and dashes, 64 at most";
}
