/** Whether a text is a value of its field, and what is wanted where it is none. Pure. */
import type { ItemKind, Leaf, Schema } from "./fields";

export type Found = { value: unknown } | { error: string };

export function valueOf(leaf: Leaf, text: string): Found {
  switch (leaf.kind) {
    case "json":
      return json(text) ?? { error: "This is not valid JSON" };
    case "choice": {
      const value = leaf.choices.find((choice) => JSON.stringify(choice) === text);
      return value === undefined ? { error: "Choose one of these" } : { value };
    }
    case "any":
      return json(text) ?? { value: text };
    case "list":
      return listOf(leaf, text);
    default:
      return simple(leaf.kind, leaf.schema, text);
  }
}

function json(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function simple(kind: ItemKind, schema: Schema, text: string): Found {
  const wanted = { error: wantedText(kind, schema) };
  if (kind === "text") {
    // Characters as JSON Schema counts them, not the halves of which JavaScript's texts are made.
    return within([...text].length, schema, "minLength", "maxLength") ? { value: text } : wanted;
  }
  const word = text.trim();
  if (kind === "boolean") return word === "true" || word === "false" ? { value: word === "true" } : wanted;
  const form = kind === "integer" ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const value = Number(word);
  if (!form.test(word)) return wanted;
  if (!Number.isFinite(value) || (kind === "integer" && !Number.isSafeInteger(value))) {
    return { error: "This number is too large" };
  }
  if (!within(value, schema, "minimum", "maximum")) return wanted;
  const step = schema["multipleOf"];
  // Fractions are left to the controller: what is a multiple of 0.1 depends on how it is computed.
  const isStep = typeof step === "number" && Number.isInteger(step) && step > 0;
  return isStep && value % step !== 0 ? wanted : { value };
}

function listOf(leaf: Leaf, text: string): Found {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const schema = leaf.schema["items"] as Schema;
  const values: unknown[] = [];
  for (const [place, line] of lines.entries()) {
    const found = simple(leaf.item, schema, leaf.item === "text" ? line : line.trim());
    const choices = Array.isArray(schema["enum"]) ? schema["enum"] : null;
    if ("error" in found) return { error: `Line ${place + 1}: ${lowerFirst(found.error)}` };
    if (choices && !choices.includes(found.value)) {
      return { error: `Line ${place + 1}: one of ${choices.map(String).join(", ")}` };
    }
    values.push(found.value);
  }
  if (!within(values.length, leaf.schema, "minItems", "maxItems")) {
    return { error: capital(`${range(leaf.schema, "minItems", "maxItems")} lines`) };
  }
  const twice = leaf.schema["uniqueItems"] === true && new Set(values).size < values.length;
  return twice ? { error: "No duplicate lines" } : { value: values };
}

function within(value: number, schema: Schema, least: string, most: string): boolean {
  const { low, high, above, below } = bounds(schema, least, most);
  return (
    (low === null || (above ? value > low : value >= low)) && (high === null || (below ? value < high : value <= high))
  );
}

interface Bounds {
  low: number | null;
  high: number | null;
  /** Whether the bound itself is out. */
  above: boolean;
  below: boolean;
}

/** Draft 4 has `exclusiveMinimum: true` beside `minimum`, later ones a number in its place. */
function bounds(schema: Schema, least: string, most: string): Bounds {
  const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
  const [over, under] = [schema["exclusiveMinimum"], schema["exclusiveMaximum"]];
  const counts = least !== "minimum";
  return {
    low: (counts ? null : number(over)) ?? number(schema[least]),
    high: (counts ? null : number(under)) ?? number(schema[most]),
    above: !counts && over !== undefined && over !== false,
    below: !counts && under !== undefined && under !== false,
  };
}

/** `from 1 to 9`, `at least 1`, `more than 0 and at most 1`; empty without bounds. */
export function range(schema: Schema, least: string, most: string): string {
  const { low, high, above, below } = bounds(schema, least, most);
  if (low !== null && high !== null && !above && !below) return low === high ? `${low}` : `from ${low} to ${high}`;
  const parts = [
    low === null ? "" : `${above ? "more than" : "at least"} ${low}`,
    high === null ? "" : `${below ? "less than" : "at most"} ${high}`,
  ];
  return parts.filter(Boolean).join(" and ");
}

/** What a field takes: `A whole number from 1 to 9`. */
export function wantedText(kind: ItemKind, schema: Schema): string {
  if (kind === "boolean") return "true or false";
  if (kind === "text") {
    const length = range(schema, "minLength", "maxLength");
    return length === "" ? "" : `${capital(length)} character${length.endsWith(" 1") || length === "1" ? "" : "s"}`;
  }
  const among = range(schema, "minimum", "maximum");
  const noun = kind === "integer" ? "A whole number" : "A number";
  const step = typeof schema["multipleOf"] === "number" ? `, a multiple of ${schema["multipleOf"]}` : "";
  const beside = among === "" ? "" : among.startsWith("from") ? ` ${among}` : `, ${among}`;
  return noun + beside + step;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
