import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/client";
import { range, wantedText } from "./check";
import { type Field, formOf, leavesOf, type Schema } from "./fields";
import { refusedParameters } from "./refusal";
import { MORE, NEEDED, readForm, startTexts, type Texts } from "./values";
import { joined, split } from "./words";

const BACKUP: Schema = {
  type: "object",
  properties: {
    target: { type: "string", minLength: 1, description: "Where to" },
    level: { type: "integer", default: 3, minimum: 1, maximum: 9 },
    keep: { type: "object", properties: { days: { type: "integer", default: 7 }, weeks: { type: "integer" } } },
    mode: { type: "string", enum: ["full", "part"], default: "full" },
    tags: { type: "array", items: { type: "string" }, default: ["a"] },
    "dry-run": { type: "boolean" },
    ratio: { type: ["number", "null"] },
    filter: { oneOf: [{ type: "string" }, { type: "object" }] },
    note: { default: "x" },
  },
  required: ["target"],
  additionalProperties: false,
};

const properties = (of: Record<string, unknown>, more: Schema = {}): Schema => ({ type: "object", properties: of, ...more });

const kinds = (fields: readonly Field[]): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));

/** What is sent when these texts are typed into a fresh form. */
function sent(schema: Schema, typed: Texts): ReturnType<typeof readForm> {
  const form = formOf(schema);
  return readForm(form, { ...startTexts(form), ...typed });
}

describe("the form of an action", () => {
  it("has a field for each parameter, of its kind", () => {
    const form = formOf(BACKUP);
    expect(kinds(form.fields)).toEqual({
      target: "text",
      level: "integer",
      keep: "group",
      mode: "choice",
      tags: "list",
      "dry-run": "boolean",
      ratio: "number",
      filter: "json",
      note: "any",
    });
    expect(form.more).toBe(false);
    expect(form.fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(["target"]);
    expect(leavesOf(form.fields).map(({ path }) => path)).toContain("/keep/days");
  });

  it("takes more parameters unless the schema says that there are none", () => {
    expect(formOf({}).more).toBe(true);
    expect(formOf({ additionalProperties: true }).more).toBe(true);
    expect(formOf({ additionalProperties: false }, { old: 1 }).more).toBe(true);
  });

  it("leaves to JSON what it cannot express", () => {
    const any = { type: "object", properties: { a: {} } };
    const schema = properties({
      open: { ...any, additionalProperties: true },
      bare: { type: "object" },
      pairs: { type: "array", items: any },
      deep: properties({ a: properties({ b: properties({ c: properties({ d: properties({ e: {} }) }) }) }) }),
      elsewhere: { $ref: "#/x" },
      odd: 7,
    });
    expect(kinds(formOf(schema).fields)).toEqual({
      open: "json",
      bare: "json",
      pairs: "json",
      deep: "group",
      elsewhere: "json",
      odd: "any",
    });
    expect(leavesOf(formOf(schema).fields).find(({ path }) => path === "/deep/a/b/c/d")?.kind).toBe("json");
  });

  it("shows all of what is given, also what does not fit", () => {
    const given = { target: "x", keep: { days: 1, years: 2 }, tags: ["a\nb"], mode: "fast", old: true, level: "high" };
    const form = formOf(BACKUP, given);
    expect(kinds(form.fields)).toMatchObject({ keep: "json", tags: "json" });
    const texts = startTexts(form, given);
    expect(texts["/mode"]).toBe('"fast"');
    expect(JSON.parse(texts[MORE] ?? "")).toEqual({ old: true });
    const { parameters, errors } = readForm(form, texts);
    expect(errors).toEqual({ "/level": "A whole number from 1 to 9" });
    expect({ ...parameters, level: "high" }).toEqual(given);
  });

  it("is not misled by names", () => {
    const schema = properties(JSON.parse('{"__proto__": {"type": "integer"}, "a/b~c": {"type": "string"}, "": {}}') as Schema);
    const { parameters, errors } = sent(schema, { "/__proto__": "1", "/a~1b~0c": "x", "/": "y" });
    expect(errors).toEqual({});
    expect(JSON.stringify(parameters)).toBe('{"__proto__":1,"a/b~c":"x","":"y"}');
    const form = formOf(schema, parameters);
    expect(readForm(form, startTexts(form, parameters)).parameters).toEqual(parameters);
  });
});

describe("what is typed", () => {
  it("is sent where it is no default", () => {
    expect(sent(BACKUP, { "/target": "disk" })).toEqual({ parameters: { target: "disk" }, errors: {} });
    const typed = {
      "/target": "disk",
      "/level": " 9 ",
      "/keep/weeks": "2",
      "/mode": '"part"',
      "/tags": "b\n\nc d",
      "/dry-run": "true",
      "/ratio": "0.5",
      "/filter": '{"a": [1]}',
      "/note": "5",
    };
    expect(sent(BACKUP, typed).parameters).toEqual({
      target: "disk",
      level: 9,
      keep: { days: 7, weeks: 2 },
      mode: "part",
      tags: ["b", "c d"],
      "dry-run": true,
      ratio: 0.5,
      filter: { a: [1] },
      note: 5,
    });
  });

  it("can empty a text and a list that have a default, and gives others their default again", () => {
    const schema = properties({ a: { type: "string", default: "x" }, b: { type: "array", items: { type: "integer" }, default: [1] }, c: { type: "integer", default: 1 } });
    expect(sent(schema, { "/a": "", "/b": "", "/c": "" })).toEqual({ parameters: { a: "", b: [] }, errors: {} });
  });

  it("is held against the schema", () => {
    expect(sent(BACKUP, {}).errors).toEqual({ "/target": NEEDED });
    const wrong = { "/target": "x", "/level": "10", "/keep/days": "all", "/ratio": "1e999", "/filter": "{", "/tags": "" };
    expect(sent(BACKUP, wrong).errors).toEqual({
      "/level": "A whole number from 1 to 9",
      "/keep/days": "A whole number",
      "/ratio": "This number is too large",
      "/filter": "This is not valid JSON",
    });
    const list = properties({ ports: { type: "array", items: { type: "integer", minimum: 1 }, minItems: 1, maxItems: 2, uniqueItems: true } });
    expect(sent(list, { "/ports": "1\n0" }).errors).toEqual({ "/ports": "Line 2: a whole number, at least 1" });
    expect(sent(list, { "/ports": "1\n2\n3" }).errors).toEqual({ "/ports": "From 1 to 2 lines" });
    expect(sent(list, { "/ports": "1\n1" }).errors).toEqual({ "/ports": "No duplicate lines" });
  });

  it("needs what a group needs only where the group is given", () => {
    const inner = properties({ host: { type: "string" }, port: { type: "integer" } }, { required: ["host"] });
    expect(sent(properties({ to: inner }), {})).toEqual({ parameters: {}, errors: {} });
    expect(sent(properties({ to: inner }), { "/to/port": "1" }).errors).toEqual({ "/to/host": NEEDED });
    expect(sent(properties({ to: inner }, { required: ["to"] }), {}).errors).toEqual({ "/to/host": NEEDED });
    const outer = properties({ a: { type: "integer" }, to: inner });
    expect(sent(properties({ outer }), { "/outer/a": "1" })).toEqual({ parameters: { outer: { a: 1 } }, errors: {} });
  });

  it("keeps the defaults of a group that is changed", () => {
    const group = { ...properties({ a: { type: "integer", default: 1 }, b: { type: "integer" } }), default: { a: 5 } };
    expect(startTexts(formOf(properties({ group })))).toMatchObject({ "/group/a": "5" });
    expect(sent(properties({ group }), { "/group/b": "2" }).parameters).toEqual({ group: { a: 5, b: 2 } });
  });

  it("goes beyond the fields as JSON", () => {
    const open = properties({ a: { type: "integer" } });
    expect(sent(open, { [MORE]: '{"b": [1]}', "/a": "1" }).parameters).toEqual({ a: 1, b: [1] });
    expect(sent(open, { [MORE]: "[1]" }).errors).toHaveProperty(MORE);
    expect(sent(open, { [MORE]: '{"a": 2}' }).errors[MORE]).toBe("a has its own field above");
    expect(sent(BACKUP, { [MORE]: "rubbish", "/target": "x" }).errors).toEqual({});
  });

  it("is told what is wanted", () => {
    expect(range({ exclusiveMinimum: true, minimum: 0, maximum: 1 }, "minimum", "maximum")).toBe("more than 0 and at most 1");
    expect(range({ exclusiveMaximum: 5 }, "minimum", "maximum")).toBe("less than 5");
    expect(wantedText("integer", { multipleOf: 5 })).toBe("A whole number, a multiple of 5");
    expect(wantedText("text", { maxLength: 1 })).toBe("At most 1 character");
    expect(wantedText("text", { minLength: 2, maxLength: 9 })).toBe("From 2 to 9 characters");
    expect(sent(properties({ a: { type: "number", exclusiveMinimum: true, minimum: 0 } }), { "/a": "0" }).errors).toHaveProperty(["/a"]);
    expect(sent(properties({ a: { type: "string", maxLength: 1 } }), { "/a": "😀" }).errors).toEqual({});
  });
});

describe("what the controller refuses", () => {
  const refusal = (detail: string, code = "action-parameters-invalid"): ApiError =>
    new ApiError({ status: 400, code, title: "The request is not valid", detail });

  it("stands beside the field that it is about", () => {
    const detail =
      'level: 10 is greater than the maximum of 9; "target" is a required property; keep.days: "all" is not of type "integer"; tags.0: 1 is not of type "string"';
    expect(refusedParameters(refusal(detail), formOf(BACKUP))).toEqual({
      fields: {
        "/level": "10 is greater than the maximum of 9.",
        "/target": "A value is needed.",
        "/keep/days": '"all" is not of type "integer".',
        "/tags": '1 is not of type "string".',
      },
      whole: true,
    });
    const within = refusedParameters(refusal('keep: "days" is a required property'), formOf(BACKUP));
    expect(within?.fields).toEqual({ "/keep/days": "A value is needed." });
  });

  it("is found behind other words", () => {
    const detail = 'action "backup" of "site": "target" is a required property; level: 10 is greater than the maximum of 9';
    expect(refusedParameters(refusal(detail), formOf(BACKUP))).toEqual({
      fields: { "/target": "A value is needed.", "/level": "10 is greater than the maximum of 9." },
      whole: true,
    });
  });

  it("is shown as a whole where a part is about no field", () => {
    const unknown = "Additional properties are not allowed ('levle' was unexpected)";
    expect(refusedParameters(refusal(`${unknown}; level: 0 is less than 1`), formOf(BACKUP))).toMatchObject({
      fields: { "/level": "0 is less than 1." },
      whole: false,
    });
    expect(refusedParameters(refusal(unknown), formOf({}))?.fields).toHaveProperty(MORE);
    expect(refusedParameters(refusal(""), formOf(BACKUP))).toEqual({ fields: {}, whole: false });
  });

  it("is nothing else than parameters", () => {
    expect(refusedParameters(refusal("level: 1", "unit-not-found"), formOf(BACKUP))).toBeNull();
    expect(refusedParameters(new Error("level: 1"), formOf(BACKUP))).toBeNull();
  });
});

describe("the words of a command", () => {
  it.each([
    ["", []],
    ["  list   all ", ["list", "all"]],
    [`'a b' "c d" e\\ f`, ["a b", "c d", "e f"]],
    [`'a\\' "\\"\\x\\\\" ''`, ["a\\", '"\\x\\', ""]],
    [`a"b"'c'`, ["abc"]],
    ["a\tb\nc", ["a", "b", "c"]],
  ])("%j are split as a shell splits them", (line, words) => expect(split(line)).toEqual({ words }));

  it("are refused where they do not end", () => {
    expect(split("'a")).toHaveProperty("error");
    expect(split('"a\\"')).toHaveProperty("error");
    expect(split("a\\")).toHaveProperty("error");
  });

  it("are the same when they are joined and split", () => {
    const words = ["a b", "it's", "", '"', "\\", "plain", "ä ö"];
    expect(split(joined(words))).toEqual({ words });
  });
});
