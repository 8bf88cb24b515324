/** What a task answered, as it is read: what a command printed, how it ended, and the rest. Pure. */

export interface Results {
  /** `stdout` and `stderr`, where there is any. */
  printed: { name: string; text: string; encoding: string }[];
  returnCode: number | null;
  /** What the charm set. */
  rest: Record<string, unknown>;
}

const PRINTED = ["stdout", "stderr"];
const KNOWN = new Set([...PRINTED.flatMap((name) => [name, `${name}-encoding`]), "return-code"]);

export function resultsOf(results: Record<string, unknown>): Results {
  const text = (key: string): string => {
    const value = Object.hasOwn(results, key) ? results[key] : undefined;
    return value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  };
  const code = text("return-code");
  return {
    printed: PRINTED.map((name) => ({ name, text: text(name), encoding: text(`${name}-encoding`) })).filter(
      (each) => each.text !== "",
    ),
    returnCode: code !== "" && Number.isFinite(Number(code)) ? Number(code) : null,
    rest: Object.fromEntries(Object.entries(results).filter(([key]) => !KNOWN.has(key))),
  };
}

/** Entries of one level that are shown; the rest is counted. */
export const MOST_ENTRIES = 100;

/** What stands below a value, in its order; null for a value that is shown as it is. */
export function entriesOf(value: unknown): [name: string, value: unknown][] | null {
  if (Array.isArray(value)) return value.map((item, place) => [String(place + 1), item]);
  if (typeof value === "object" && value !== null) return Object.entries(value);
  return null;
}

/** A value in words. An empty one is told from a missing one. */
export function shownValue(value: unknown): string {
  if (value === "") return "empty";
  return typeof value === "string" ? value : JSON.stringify(value);
}
