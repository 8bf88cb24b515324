/** What is said of incidents and of entries of a timeline. */
import type { IncidentInfo, TimelineEntry } from "../api/types";

/** What an incident is about: `front`, `machine 3`. */
export function subject({ application, machine }: Pick<IncidentInfo, "application" | "machine">): string {
  return application ?? (machine ? `machine ${machine}` : "");
}

/** Its heading: `front: start failed`, `front is blocked`. */
export function heading(incident: Pick<IncidentInfo, "application" | "machine" | "hook" | "status">): string {
  const { hook, status } = incident;
  return hook ? `${subject(incident)}: ${hook} failed` : `${subject(incident)} is ${status}`;
}

/** An entry as a sentence: `admin integrated front with site`, `title of front changed from "a" to "b"`. */
export function told({ kind, who, verb, object, was, becomes }: TimelineEntry): string {
  if (kind === "status") return `${object} ${verb} ${becomes ?? ""}`.trim();
  const words = [who, verb, object];
  if (was != null && becomes != null) words.push(`from "${was}" to "${becomes}"`);
  else if (becomes != null) words.push(`to "${becomes}"`);
  else if (was != null) words.push(`from "${was}" to its default`);
  return words.filter(Boolean).join(" ");
}

/** What somebody did that changed nothing, and how the controller says that it was refused. */
const READ = new Set([
  ...["listed", "looked for", "read", "revealed"],
  ...["tried to list", "tried to look for", "tried to read", "tried to reveal"],
]);

const KINDS: Record<TimelineEntry["kind"], string> = {
  audit: "Change",
  config: "Setting",
  revision: "Revision",
  hook: "Hook",
  status: "Status",
};

/** The kind of an entry in a word. */
export function kindOf({ kind, verb }: Pick<TimelineEntry, "kind" | "verb">): string {
  return kind === "audit" && READ.has(verb) ? "Read" : KINDS[kind];
}

/** Times for which an incident can be silenced: seconds, nothing until it changes. */
export const SILENCES: [string, string][] = [
  ["", "Until it changes"],
  ["3600", "1 hour"],
  ["28800", "8 hours"],
  ["86400", "1 day"],
  ["604800", "7 days"],
];
