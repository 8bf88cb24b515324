/** What the pages make of a bundle's plan and of what differs. Pure. */
import type { ApplicationInfo, BundleApply, BundleDifference, BundlePlan, RelationInfo } from "../api/types";
import type { PlanMark, RelationInfo as DrawnRelation, TopologyApplication } from "../components/charts/types";

/** One thing that differs, in words: whose, what, and how it is on either side. */
export interface DifferenceRow {
  key: string;
  of: string;
  what: string;
  /** Null where a side has nothing. */
  bundle: string | null;
  model: string | null;
}

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Everything that differs, application by application and then the relations. */
export function differenceRows(difference: BundleDifference): DifferenceRow[] {
  const rows: DifferenceRow[] = [];
  const add = (of: string, what: string, sides: { bundle?: unknown; model?: unknown } | null | undefined): void => {
    if (!sides) return;
    rows.push({ key: `${of} ${what}`, of, what, bundle: text(sides.bundle), model: text(sides.model) });
  };
  const short = (sides: { bundle?: string | null; model?: string | null } | null | undefined) =>
    sides && { bundle: sides.bundle?.slice(0, 12), model: sides.model?.slice(0, 12) };
  for (const [name, of] of Object.entries(difference.applications ?? {})) {
    if (of.missing) {
      const there = "there";
      add(name, "application", of.missing === "model" ? { bundle: there } : { model: there });
      continue;
    }
    add(name, "charm", short(of.charm));
    add(name, "revision in the charm repository", of.revision);
    add(name, "channel", of.channel);
    add(name, "units", of.num_units);
    for (const [option, sides] of Object.entries(of.options ?? {})) add(name, `option ${option}`, sides);
    add(name, "exposed", of.expose && { bundle: exposure(of.expose.bundle), model: exposure(of.expose.model) });
    for (const [resource, sides] of Object.entries(of.resources ?? {})) add(name, `resource ${resource}`, short(sides));
    for (const [note, sides] of Object.entries(of.annotations ?? {})) add(name, `annotation ${note}`, sides);
    add(name, "constraints", of.constraints);
    add(name, "trusted", of.trust);
  }
  for (const ends of difference.relations?.["bundle-additions"] ?? []) {
    add(ends.join(" "), "relation", { bundle: "there" });
  }
  for (const ends of difference.relations?.["model-additions"] ?? []) {
    add(ends.join(" "), "relation", { model: "there" });
  }
  return rows;
}

/** To whom, by endpoint: `everybody`, or `website: 10.0.0.0/8`. */
function exposure(endpoints: Record<string, { "expose-to-cidrs"?: string[] }> | null | undefined): string | null {
  if (!endpoints) return null;
  const of = ([name, to]: [string, { "expose-to-cidrs"?: string[] }]): string => {
    const whom = to["expose-to-cidrs"]?.join(", ") || "everybody";
    return name ? `${name}: ${whom}` : whom;
  };
  return Object.entries(endpoints).map(of).join("; ");
}

/** The line of which a refusal speaks: `line 4: …`; none for one of an overlay, or of no line. */
export function refusedLine(detail: string): number | null {
  const found = /^line (\d+): /.exec(detail);
  return found ? Number(found[1]) : null;
}

export interface Excerpt {
  number: number;
  text: string;
  wrong: boolean;
}

/** A line of a text with those around it. */
export function excerpt(bundle: string, line: number, around = 2): Excerpt[] {
  return bundle
    .split("\n")
    .map((each, index) => ({ number: index + 1, text: each, wrong: index + 1 === line }))
    .filter(({ number }) => Math.abs(number - line) <= around);
}

/** The model as a plan would leave it, with what it makes of each application and relation. */
export function plannedTopology(
  applications: readonly Pick<ApplicationInfo, "name" | "status" | "units" | "charm" | "subordinate">[],
  relations: readonly RelationInfo[],
  plan: Pick<BundlePlan, "changes" | "difference">,
): { applications: TopologyApplication[]; relations: DrawnRelation[] } {
  const there = new Set(applications.map(({ name }) => name));
  const changed = new Set(plan.changes.flatMap(({ application }) => application ?? []));
  const differs = plan.difference.applications ?? {};
  const markOf = (name: string): PlanMark | undefined => {
    if (differs[name]?.missing === "bundle") return "removed";
    return changed.has(name) ? "changed" : undefined;
  };
  const drawn: TopologyApplication[] = applications.map(({ name, status, units, charm, subordinate }) => ({
    name,
    status: status.status,
    message: status.message,
    units: units.length,
    unitStatuses: [],
    charm,
    subordinate: subordinate ?? false,
    mark: markOf(name),
  }));
  for (const { kind, application, units } of plan.changes) {
    if (kind !== "deploy" || !application || there.has(application)) continue;
    const fresh = { name: application, status: "", message: "", units: units ?? 0, unitStatuses: [], charm: "" };
    drawn.push({ ...fresh, subordinate: false, mark: "added" });
  }
  const added = plan.changes.flatMap(({ endpoints = [] }, index): DrawnRelation[] => {
    const [requirer, provider] = endpoints.map(endOf);
    if (!requirer || !provider) return [];
    return [
      {
        id: -1 - index,
        endpoints: [
          { ...requirer, role: "requirer" },
          { ...provider, role: "provider" },
        ],
        interface: "added",
        scope: "global",
        status: { status: "joining" },
      },
    ];
  });
  return { applications: drawn, relations: [...relations, ...added] };
}

function endOf(end: string): { application: string; name: string } {
  const [application = "", name = ""] = end.split(":");
  return { application, name };
}

export type ChangeState = "made" | "running" | "failed" | "waiting";

/** How far each change of an apply is. */
export function changeStates({ changes, taken, state }: Pick<BundleApply, "changes" | "taken" | "state">): ChangeState[] {
  return changes.map((_, index) => {
    if (index < taken) return "made";
    if (index > taken) return "waiting";
    if (state === "running") return "running";
    return state === "failed" ? "failed" : "waiting";
  });
}

/** What an apply came to, in one line. */
export function applyText({ state, taken, changes }: Pick<BundleApply, "changes" | "taken" | "state">): string {
  const all = changes.length;
  const count = `${taken} of ${all} ${all === 1 ? "change" : "changes"}`;
  if (all === 0) return "The model already matched it";
  if (state === "completed") return `Applied: ${count}`;
  if (state === "running") return `Applying: ${count}`;
  return `${state === "failed" ? "Failed" : "Interrupted"} after ${count}`;
}

/** The files that were dropped: the bundle, what is laid over it, and charms. */
export function sorted(files: readonly File[]): { bundle: File | null; overlays: File[]; charms: File[]; others: File[] } {
  const named = (end: RegExp): File[] => files.filter(({ name }) => end.test(name));
  const [bundle = null, ...overlays] = named(/\.ya?ml$/i).toSorted((a, b) => rank(a.name) - rank(b.name));
  const others = files.filter(({ name }) => !/\.(ya?ml|charm)$/i.test(name));
  return { bundle, overlays, charms: named(/\.charm$/i), others };
}

/** A file that is called a bundle comes before its overlays. */
function rank(name: string): number {
  if (/overlay/i.test(name)) return 2;
  return /bundle/i.test(name) ? 0 : 1;
}
