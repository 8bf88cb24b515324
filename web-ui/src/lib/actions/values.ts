/** What was typed into the form of an action, as the parameters that are sent. Pure. */
import { valueOf } from "./check";
import { dotted, type Field, type Form, isObject, type Leaf, leavesOf, member, type Parameters } from "./fields";

/** What each field shows, by its path. */
export type Texts = Record<string, string>;

/** Stands in the place of a path for the parameters without a field. */
export const MORE = "more";

export const NEEDED = "A value is needed";

/** What the fields show first: the defaults, or what is given in their place. */
export function startTexts(form: Form, given: Parameters = {}): Texts {
  const texts: Texts = {};
  for (const leaf of leavesOf(form.fields)) {
    texts[leaf.path] = textOf(leaf, at(given, leaf.path) ?? leaf.fallback);
  }
  const known = new Set(form.fields.map(({ name }) => name));
  const rest = Object.entries(given).filter(([name]) => !known.has(name));
  texts[MORE] = rest.length > 0 ? JSON.stringify(Object.fromEntries(rest), null, 2) : "";
  return texts;
}

function at(value: unknown, path: string): unknown {
  return path
    .slice(1)
    .split("/")
    .reduce((within, part) => member(within, part.replaceAll("~1", "/").replaceAll("~0", "~")), value);
}

export function textOf(leaf: Leaf, value: unknown): string {
  if (value === undefined) return "";
  switch (leaf.kind) {
    case "choice":
      return JSON.stringify(value);
    case "list":
      return Array.isArray(value) ? value.map(String).join("\n") : JSON.stringify(value);
    case "json":
      return JSON.stringify(value, null, 2);
    case "any":
      return typeof value === "string" && !isJson(value) ? value : JSON.stringify(value);
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface Read {
  parameters: Parameters;
  /** What is wrong, by path. */
  errors: Record<string, string>;
}

/**
 * What is read of a field: only another value than its default, all that its object needs, or no more than what
 * it shows.
 */
type How = "changed" | "whole" | "kept";

/** What is sent: whatever differs from the defaults, which the controller fills in. */
export function readForm(form: Form, texts: Texts): Read {
  const errors: Record<string, string> = {};
  const defaults = startTexts(form);
  const read = (field: Field, how: How): unknown => {
    if (field.kind === "group") {
      const touched = leavesOf([field]).some(({ path }) => texts[path] !== defaults[path]);
      if (!touched && !field.required && how === "changed") return undefined;
      const inner = touched || field.required ? "whole" : "kept";
      const values = field.fields.map((each) => [each.name, read(each, inner)] as const);
      const given = values.filter(([, value]) => value !== undefined);
      return given.length > 0 || field.required ? Object.fromEntries(given) : undefined;
    }
    const text = texts[field.path] ?? "";
    const fallback = defaults[field.path] ?? "";
    const unchanged = text === fallback;
    if (unchanged && text !== "" && how === "changed") return undefined;
    if (text.trim() === "") {
      // A text or a list that had a default can be made empty; any other has its default again.
      const empties = field.kind === "list" ? !unchanged || field.required : field.kind === "text" && !unchanged;
      if (!empties || how === "kept") {
        if (field.required && how !== "kept" && (fallback === "" || how === "whole")) errors[field.path] = NEEDED;
        return undefined;
      }
    }
    const found = valueOf(field, text);
    if ("value" in found) return found.value;
    errors[field.path] = found.error;
    return undefined;
  };
  const given = form.fields.map((field) => [field.name, read(field, "changed")] as const);
  const parameters = given.filter(([, value]) => value !== undefined);
  return { parameters: Object.fromEntries([...parameters, ...moreOf(form, texts, errors)]), errors };
}

/** The parameters without a field. */
function moreOf(form: Form, texts: Texts, errors: Record<string, string>): [string, unknown][] {
  const text = form.more ? (texts[MORE] ?? "").trim() : "";
  if (text === "") return [];
  let more: unknown;
  try {
    more = JSON.parse(text);
  } catch {
    more = undefined;
  }
  if (!isObject(more)) {
    errors[MORE] = 'A JSON object, such as {"name": "value"}';
    return [];
  }
  const twice = form.fields.find(({ name }) => Object.hasOwn(more, name));
  if (twice) errors[MORE] = `${dotted(twice.path)} has its own field above`;
  return Object.entries(more);
}
