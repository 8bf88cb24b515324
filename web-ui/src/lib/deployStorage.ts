/** What the deploy form asks for of a charm's storage. */
import type { AskedStorage, CharmInfo } from "../api/types";
import { natural } from "./attention";
import { mibOf } from "./storage";

/** As typed; empty is left to the charm and the model. */
export interface StorageTexts {
  pool: string;
  count: string;
  size: string;
}

export const NOTHING_ASKED: StorageTexts = { pool: "", count: "", size: "" };

/** By the name of the storage. */
export type AllStorageTexts = Readonly<Record<string, StorageTexts>>;

/** A storage that a charm declares, and how many of it a unit may have. */
export interface DeclaredStorage {
  name: string;
  description: string;
  shared: boolean;
  range: string;
}

/** What units of the charm can be given: sandboxes have no block devices. */
export function declaredStorage(charm: CharmInfo | null): DeclaredStorage[] {
  const declared = Object.entries(charm?.metadata.storage ?? {}).filter(([, { type }]) => type === "filesystem");
  return declared
    .map(([name, { description, shared, multiple }]) => ({
      name,
      description: description ?? "",
      shared: shared ?? false,
      range: multiple ? String(multiple.range) : "1",
    }))
    .sort((a, b) => natural(a.name, b.name));
}

export function countError(text: string): string | null {
  const wrong = text !== "" && !(/^\d+$/.test(text) && Number(text) > 0 && Number(text) <= 1000);
  return wrong ? "A whole number from 1" : null;
}

export function sizeError(text: string): string | null {
  return text !== "" && mibOf(text) === null ? "A number with its unit, as in 512M or 10G" : null;
}

export const isWrong = (texts: AllStorageTexts): boolean =>
  Object.values(texts).some(({ count, size }) => countError(count) !== null || sizeError(size) !== null);

/** What is asked for, of those of which something is. */
export function askedStorage(texts: AllStorageTexts): Record<string, AskedStorage> {
  const asked: Record<string, AskedStorage> = {};
  for (const [name, { pool, count, size }] of Object.entries(texts)) {
    const mib = mibOf(size);
    const one: AskedStorage = {
      ...(pool !== "" && { pool }),
      ...(count !== "" && countError(count) === null && { count: Number(count) }),
      ...(mib !== null && { size: mib }),
    };
    if (Object.keys(one).length > 0) asked[name] = one;
  }
  return asked;
}

/** The same on the command line. */
export function storageWords(texts: AllStorageTexts): string[] {
  return Object.entries(askedStorage(texts)).flatMap(([name, { pool, count, size }]) => {
    const parts = [pool, count?.toString(), size == null ? null : `${size}M`];
    return ["--storage", `${name}=${parts.filter((part) => part != null).join(",")}`];
  });
}
