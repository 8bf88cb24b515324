/**
 * Which parameters a refusal of the controller is about: `action "backup" of "site": level: 10 is greater than the
 * maximum of 9; "target" is a required property`. Pure.
 */
import { ApiError } from "../../api/client";
import { sentence } from "../sentence";
import { dotted, type Field, type Form } from "./fields";
import { MORE } from "./values";

export interface Refused {
  /** What is said of each parameter, by its path. */
  fields: Record<string, string>;
  /** Whether all of it stands beside a field. */
  whole: boolean;
}

/** None when it was not the parameters that were refused. */
export function refusedParameters(error: unknown, form: Form): Refused | null {
  if (!(error instanceof ApiError) || error.code !== "action-parameters-invalid") return null;
  const detail = (error.problem.detail ?? "").replace(/^action "[^"]*" of "[^"]*": /, "");
  const said = detail.split("; ").filter(Boolean);
  const known = allOf(form.fields);
  const refused: Refused = { fields: {}, whole: said.length > 0 };
  for (const words of said) {
    const about = aboutOf(words, known, form.more);
    if (!about) {
      refused.whole = false;
      continue;
    }
    const [path, what] = about;
    const before = refused.fields[path];
    refused.fields[path] = before ? `${before} ${sentence(what)}` : sentence(what);
  }
  return refused;
}

function allOf(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => (field.kind === "group" ? [field, ...allOf(field.fields)] : [field]));
}

function aboutOf(words: string, known: readonly Field[], more: boolean): [path: string, what: string] | null {
  const missing = /^(?:(.*): )?"(.+)" is a required property$/.exec(words);
  if (missing) {
    const [, within = "", name] = missing;
    const whole = [within.split(": ").at(-1), name].filter(Boolean).join(".");
    const field = known.find(({ path }) => dotted(path) === whole);
    if (field) return [field.path, "A value is needed"];
  }
  let found: { path: string; name: string; what: string } | null = null;
  for (const { path } of known) {
    const name = dotted(path);
    const what = saidOf(words, name);
    if (what !== null && (!found || name.length > found.name.length)) found = { path, name, what };
  }
  if (found) return [found.path, found.what];
  return more && /^(?:[^:]+: )*Additional properties /.test(words) ? [MORE, words] : null;
}

/** What is said of the parameter, or of something within it. */
function saidOf(words: string, name: string): string | null {
  for (let start = words.indexOf(name); start >= 0; start = words.indexOf(name, start + 1)) {
    const begins = start === 0 || words.slice(0, start).endsWith(": ");
    const within = /^(?:\.[^:]*)?: (.+)$/s.exec(words.slice(start + name.length));
    if (begins && within) return within[1] ?? null;
  }
  return null;
}
