/** The form of an action, made of the JSON Schema of what it takes. Pure. */

export type Schema = Record<string, unknown>;
export type Parameters = Record<string, unknown>;

export type LeafKind = "text" | "integer" | "number" | "boolean" | "choice" | "list" | "any" | "json";
/** What the items of a list are. */
export type ItemKind = "text" | "integer" | "number" | "boolean";

interface Common {
  /** Where the value stands, as a JSON pointer: `/keep/days`. */
  path: string;
  name: string;
  description: string;
  required: boolean;
  schema: Schema;
}

export interface Leaf extends Common {
  kind: LeafKind;
  /** Of a choice. */
  choices: readonly unknown[];
  /** Of a list. */
  item: ItemKind;
  /** What its object has in its place when nothing is given; undefined where there is none. */
  fallback: unknown;
}

export interface Group extends Common {
  kind: "group";
  fields: Field[];
}

export type Field = Leaf | Group;

export interface Form {
  fields: Field[];
  /** Whether parameters without a field may be given. */
  more: boolean;
}

/** Groups within one another; what is deeper is written as JSON. */
const DEEPEST = 4;
/** With one of these a schema says more than a field can. */
const COMBINING = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependencies", "patternProperties"];
const SIMPLE: Record<string, ItemKind> = { string: "text", integer: "integer", number: "number", boolean: "boolean" };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The form for a schema. What is already given has to fit into it, so a field for it may be wider. */
export function formOf(schema: Schema, given: Parameters = {}): Form {
  const fields = fieldsWithin(schema, "", given, undefined, 0);
  const known = new Set(fields.map(({ name }) => name));
  const more = schema["additionalProperties"] !== false || Object.keys(given).some((name) => !known.has(name));
  return { fields, more };
}

function fieldsWithin(schema: Schema, path: string, given: unknown, fallback: unknown, depth: number): Field[] {
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return properties.map(([name, property]) => {
    const own = isObject(property) ? property : {};
    const from = own["default"];
    return fieldOf(
      {
        path: `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        name,
        description: typeof own["description"] === "string" ? own["description"].trim() : "",
        // Of draft 3, which old charms still write.
        required: required.includes(name) || own["required"] === true,
        schema: own,
      },
      member(given, name),
      member(fallback, name) ?? from,
      depth,
    );
  });
}

/** What an object has of its own under this name. */
export function member(object: unknown, name: string): unknown {
  return isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

function fieldOf(common: Common, given: unknown, fallback: unknown, depth: number): Field {
  const { schema, path } = common;
  const leaf = { ...common, choices: choicesOf(schema), item: itemOf(schema) ?? "text", fallback };
  const kind = kindOf(schema);
  if (kind === "group") {
    const fields = fieldsWithin(schema, path, given, fallback, depth + 1);
    const known = new Set(fields.map(({ name }) => name));
    const fits = (value: unknown): boolean =>
      value === undefined || (isObject(value) && Object.keys(value).every((name) => known.has(name)));
    if (depth < DEEPEST && fits(given) && fits(fallback)) return { ...common, kind, fields };
    return { ...leaf, kind: "json" };
  }
  if (kind === "list" && !(isLines(given) && isLines(fallback))) return { ...leaf, kind: "json" };
  if (kind === "choice" && given !== undefined) return { ...leaf, kind, choices: withChoice(leaf.choices, given) };
  return { ...leaf, kind };
}

function kindOf(schema: Schema): LeafKind | "group" {
  if (COMBINING.some((keyword) => keyword in schema)) return "json";
  if (choicesOf(schema).length > 0) return "choice";
  const { type } = schema;
  const types = (Array.isArray(type) ? type : type === undefined ? [] : [type]).filter((each) => each !== "null");
  if (types.length > 1) return types.every((each) => String(each) in SIMPLE) ? "any" : "json";
  const [only] = types;
  if (only === "object" || (only === undefined && isObject(schema["properties"]))) return isClosed(schema) ? "group" : "json";
  if (only === "array") return itemOf(schema) ? "list" : "json";
  if (only === undefined) return "items" in schema ? "json" : "any";
  return SIMPLE[String(only)] ?? "json";
}

/** Whether an object's properties are all that people put into it. */
function isClosed(schema: Schema): boolean {
  const additional = schema["additionalProperties"];
  const none = additional === undefined || additional === false;
  return none && isObject(schema["properties"]) && Object.keys(schema["properties"]).length > 0;
}

function itemOf(schema: Schema): ItemKind | undefined {
  const { items } = schema;
  if (!isObject(items) || COMBINING.some((keyword) => keyword in items)) return undefined;
  return typeof items["type"] === "string" ? SIMPLE[items["type"]] : undefined;
}

export function choicesOf(schema: Schema): readonly unknown[] {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return "const" in schema ? [schema["const"]] : [];
}

function withChoice(choices: readonly unknown[], value: unknown): readonly unknown[] {
  const text = JSON.stringify(value);
  return choices.some((each) => JSON.stringify(each) === text) ? choices : [...choices, value];
}

/** Whether each item can stand in a line of its own. */
function isLines(value: unknown): boolean {
  if (value === undefined) return true;
  const isLine = (item: unknown): boolean =>
    typeof item === "string" ? item.trim() !== "" && !/[\r\n]/.test(item) : ["number", "boolean"].includes(typeof item);
  return Array.isArray(value) && value.every(isLine);
}

/** Every field that holds a value of its own, groups taken apart. */
export function leavesOf(fields: readonly Field[]): Leaf[] {
  return fields.flatMap((field) => (field.kind === "group" ? leavesOf(field.fields) : [field]));
}

/** As the controller names what stands there: `keep.days`. */
export function dotted(path: string): string {
  return path.slice(1).replaceAll("/", ".");
}
