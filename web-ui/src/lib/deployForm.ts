/** What the deploy form makes of what was typed. */
import type { CharmInfo, ConfigKind, ConfigValues } from "../api/types";

export const APPLICATION_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]*[a-z][a-z0-9]*)*$/;

/** Why a text is no value of its option; null when it is one. */
export function valueError(kind: ConfigKind, text: string): string | null {
  if (kind === "int" && !/^\s*[+-]?\d+\s*$/.test(text)) return "A whole number";
  if (kind === "float" && (text.trim() === "" || !Number.isFinite(Number(text)))) return "A number";
  if (kind === "boolean" && !/^(true|false)$/.test(text)) return "true or false";
  return null;
}

export function typed(kind: ConfigKind, text: string): string | number | boolean {
  if (kind === "int") return Number.parseInt(text, 10);
  if (kind === "float") return Number(text);
  if (kind === "boolean") return text === "true";
  return text;
}

/** What differs from the defaults. */
export function changedValues(charm: CharmInfo, texts: Record<string, string>): ConfigValues {
  const values: ConfigValues = {};
  for (const [name, option] of Object.entries(charm.config.options)) {
    const text = texts[name];
    if (text === undefined || text === String(option.default ?? "")) continue;
    if (valueError(option.type, text) === null) values[name] = typed(option.type, text);
  }
  return values;
}

/** Machines for the units in their order, as they are typed: `0, 3`; null where a word is no machine. */
export function machinesOf(text: string): string[] | null {
  const ids = text.split(/[\s,]+/).filter(Boolean);
  return ids.every((id) => /^\d+(\/[a-z]+\/\d+)*$/.test(id)) ? ids : null;
}

/** Why units cannot go to the machines that are typed; null when they can, or none is typed. */
export function machinesError(text: string, known: readonly string[], units: number): string | null {
  const ids = machinesOf(text);
  if (ids === null) return "Numbers of machines, separated by commas";
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) return `There is no machine ${unknown} in this model`;
  return ids.length > units ? `${ids.length} machines for ${units} ${units === 1 ? "unit" : "units"}` : null;
}

/** A free name made from the charm's. */
export function freeName(charm: string, taken: readonly string[]): string {
  if (!taken.includes(charm)) return charm;
  for (const letter of "bcdefghijklmnopqrstuvwxyz") {
    if (!taken.includes(`${charm}-${letter}`)) return `${charm}-${letter}`;
  }
  return "";
}
