/** What can be done from the search field: a verb, and what it is about, as they are typed. */
import { natural } from "./attention";

export type VerbName = "deploy" | "scale" | "retry" | "config" | "remove" | "add machine" | "integrate";

/** One thing to do, with all that the dialog for it needs to know. */
export interface Act {
  verb: VerbName;
  /** An application, a unit or a charm; empty where the verb needs none, or where it is not typed yet. */
  subject: string;
  /** A number of units or machines, or the application at the other end. */
  value: string;
  /** What is said beside it. */
  hint: string;
  /** Whether it can be done; otherwise choosing it types it on. */
  whole: boolean;
}

/** What there is in the model whose page is open. */
export interface Things {
  applications: readonly string[];
  /** Those whose hook failed. */
  failed: readonly string[];
  charms: readonly string[];
}

interface Verb {
  name: VerbName;
  hint: string;
  /** What may follow; nothing for a verb that is whole by itself. */
  subjects: (things: Things) => readonly string[];
  /** Whether it is whole without one. */
  bare: boolean;
}

const VERBS: readonly Verb[] = [
  { name: "deploy", hint: "an application from a charm", subjects: ({ charms }) => charms, bare: true },
  { name: "scale", hint: "APPLICATION to a number of units", subjects: ({ applications }) => applications, bare: false },
  { name: "retry", hint: "the failed hook of UNIT", subjects: ({ failed }) => failed, bare: false },
  { name: "config", hint: "the options of APPLICATION", subjects: ({ applications }) => applications, bare: false },
  { name: "integrate", hint: "APPLICATION with another", subjects: ({ applications }) => applications, bare: false },
  { name: "remove", hint: "APPLICATION", subjects: ({ applications }) => applications, bare: false },
  { name: "add machine", hint: "to the model", subjects: () => [], bare: true },
];

/** The most that are offered for one verb. */
const MOST = 6;

/** What is typed for an act, so that typing goes on. */
export function typedFor({ verb, subject, value }: Act): string {
  return [verb, subject, value].filter(Boolean).join(" ") + (subject && value ? "" : " ");
}

/** How an act reads in the list. */
export function named({ verb, subject, value }: Act): string {
  if (verb === "scale" && value) return `scale ${subject} to ${value}`;
  if (verb === "integrate" && value) return `integrate ${subject} with ${value}`;
  if (verb === "add machine" && value) return `add ${value} machines`;
  return [verb, subject].filter(Boolean).join(" ");
}

/** What can be done that begins with what is typed; all verbs for nothing. */
export function acts(typed: string, things: Things): Act[] {
  const text = typed.trimStart().toLowerCase().replace(/\s+/g, " ");
  return VERBS.flatMap((verb) => ofVerb(verb, text, things));
}

function ofVerb(verb: Verb, text: string, things: Things): Act[] {
  const { name, hint, bare } = verb;
  const subjects = verb.subjects(things);
  const offered = bare || subjects.length > 0;
  if (!offered) return [];
  const typedWhole = text === name || text.startsWith(`${name} `);
  if (!typedWhole) {
    // A single letter finds too much to be meant for a verb.
    const begins = text === "" || (text.length > 1 && name.startsWith(text.trimEnd()));
    return begins ? [{ verb: name, subject: "", value: "", hint, whole: bare }] : [];
  }
  const [subject = "", value = "", ...more] = text.slice(name.length).trim().split(" ");
  if (more.length > 0) return [];
  if (name === "add machine") {
    const count = /^[1-9]\d{0,2}$/.test(subject) ? subject : "";
    if (subject !== "" && count === "") return [];
    return [{ verb: name, subject: "", value: count, hint, whole: true }];
  }
  const found = subjects
    .filter((each) => each.toLowerCase().includes(subject))
    .sort((a, b) => rank(a, subject) - rank(b, subject) || natural(a, b))
    .slice(0, MOST);
  if (name === "scale" && value !== "") {
    if (!/^\d{1,4}$/.test(value)) return [];
    return found.map((each) => ({ verb: name, subject: each, value, hint, whole: true }));
  }
  if (name === "integrate" && (value !== "" || text.endsWith(" ")) && found[0] === subject) {
    return subjects
      .filter((each) => each !== subject && each.toLowerCase().includes(value))
      .sort((a, b) => rank(a, value) - rank(b, value) || natural(a, b))
      .slice(0, MOST)
      .map((each) => ({ verb: name, subject, value: each, hint, whole: true }));
  }
  if (value !== "") return [];
  const whole: Act[] = found.map((each) => ({ verb: name, subject: each, value: "", hint, whole: true }));
  return bare && subject === "" ? [{ verb: name, subject: "", value: "", hint, whole: true }, ...whole] : whole;
}

/** What is typed in full comes first, then what begins so. */
function rank(name: string, typed: string): number {
  const lower = name.toLowerCase();
  return lower === typed ? 0 : lower.startsWith(typed) ? 1 : 2;
}
