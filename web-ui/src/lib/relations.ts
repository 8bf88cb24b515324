/**
 * Which endpoints fit together, and what goes when a relation goes. The same rules as the
 * controller's (`host/model/src/relation`), so that a page offers nothing that would be refused;
 * the controller has the last word all the same.
 */
import type { ApplicationInfo, CharmInfo, RelationEndpoint, RelationInfo, UnitInfo } from "../api/types";
import { natural } from "./attention";

/** The endpoint every principal provides without saying so. */
export const JUJU_INFO = "juju-info";

/** One end that an application could relate. */
export interface Side {
  application: string;
  name: string;
  role: "provider" | "requirer";
  interface: string;
  scope: string;
  /** Relations at this endpoint at most. */
  limit: number | null;
  subordinate: boolean;
  implicit: boolean;
}

/** Endpoints of an application that can be integrated: all but its peers. */
export function sidesOf(application: string, { metadata }: Pick<CharmInfo, "metadata">): Side[] {
  const { subordinate } = metadata;
  const declared = (["provider", "requirer"] as const).flatMap((role) => {
    const endpoints = (role === "provider" ? metadata.provides : metadata.requires) ?? {};
    return Object.entries(endpoints).map(([name, endpoint]) => ({
      application,
      name,
      role,
      interface: endpoint.interface,
      scope: endpoint.scope,
      limit: endpoint.limit ?? null,
      subordinate,
      implicit: false,
    }));
  });
  if (subordinate || declared.some(({ name }) => name === JUJU_INFO)) return declared;
  return [
    ...declared,
    {
      application,
      name: JUJU_INFO,
      role: "provider",
      interface: JUJU_INFO,
      scope: "global",
      limit: null,
      subordinate,
      implicit: true,
    },
  ];
}

/** `front:website`. */
export const sideName = ({ application, name }: Pick<Side, "application" | "name">): string =>
  `${application}:${name}`;

export const scopeOf = (one: Side, other: Side): string =>
  one.scope === "container" || other.scope === "container" ? "container" : "global";

/** Whether two endpoints make a relation. */
export function fits(one: Side, other: Side): boolean {
  return (
    one.application !== other.application &&
    one.interface === other.interface &&
    one.role !== other.role &&
    // What stays within a container needs one who lives in the container of another.
    (scopeOf(one, other) !== "container" || one.subordinate || other.subordinate)
  );
}

/** How many relations an endpoint has. */
function used(side: Side, relations: readonly RelationInfo[]): number {
  return relations.filter(({ endpoints }) =>
    endpoints.some(({ application, name }) => application === side.application && name === side.name),
  ).length;
}

/** Whether an endpoint has all the relations it may have. */
export const isFull = (side: Side, relations: readonly RelationInfo[]): boolean =>
  side.limit !== null && used(side, relations) >= side.limit;

export interface Offer {
  mine: Side;
  /** What fits, declared endpoints first. */
  others: Side[];
}

/**
 * Endpoints of `from`, or of every application, that can be integrated now, each with all that
 * fits it. Left out: what is related already, what has no room left, applications on their way out.
 */
export function offers(
  applications: readonly Pick<ApplicationInfo, "name" | "charm" | "life">[],
  charms: readonly Pick<CharmInfo, "url" | "metadata">[],
  relations: readonly RelationInfo[],
  from: string | null = null,
): Offer[] {
  const byUrl = new Map(charms.map((charm) => [charm.url, charm]));
  const free = applications
    .filter(({ life }) => life === "alive")
    .flatMap(({ name, charm }) => {
      const known = byUrl.get(charm);
      return known ? sidesOf(name, known) : [];
    })
    .filter((side) => !isFull(side, relations))
    .sort((a, b) => Number(a.implicit) - Number(b.implicit) || natural(sideName(a), sideName(b)));
  const related = new Set(relations.map(({ endpoints }) => endpoints.map(sideName).sort().join(" ")));
  const isNew = (one: Side, other: Side): boolean =>
    !related.has([sideName(one), sideName(other)].sort().join(" "));
  return free
    .filter(({ application }) => from === null || application === from)
    .map((mine) => ({ mine, others: free.filter((other) => fits(mine, other) && isNew(mine, other)) }))
    .filter(({ others }) => others.length > 0);
}

/** Its endpoints, as a title: `front:website – hub:website`. */
export const titleOf = ({ key }: Pick<RelationInfo, "key">): string => key.split(" ").join(" – ");

export const isPeer = ({ endpoints }: Pick<RelationInfo, "endpoints">): boolean =>
  endpoints.length < 2 || endpoints.some(({ role }) => role === "peer");

/** The ends of a relation as one of its applications sees them. */
export function seenFrom(
  relation: RelationInfo,
  application: string,
): { own: RelationEndpoint; other: RelationEndpoint } | null {
  const { endpoints } = relation;
  const own = endpoints.find((end) => end.application === application);
  if (!own) return null;
  return { own, other: endpoints.find((end) => end !== own) ?? own };
}

export function relationsOf(
  relations: readonly RelationInfo[],
  application: string,
): RelationInfo[] {
  return relations
    .filter((relation) => seenFrom(relation, application) !== null)
    .sort((a, b) => a.id - b.id);
}

/**
 * Subordinate units that nothing holds: their application is not to be reached from their
 * principal's over living relations within the container.
 */
export function unsupported(
  units: readonly UnitInfo[],
  relations: readonly RelationInfo[],
): UnitInfo[] {
  const links = relations
    .filter(({ life, scope }) => life === "alive" && scope === "container")
    .map(({ endpoints }) => endpoints.map(({ application }) => application));
  const containers = new Map<string, UnitInfo[]>();
  for (const unit of units) {
    if (!unit.principal) continue;
    const inside = containers.get(unit.principal);
    if (inside) inside.push(unit);
    else containers.set(unit.principal, [unit]);
  }
  return [...containers].flatMap(([principal, inside]) => {
    const present = new Set(inside.map(({ application }) => application));
    const reached = new Set([applicationOf(principal)]);
    for (const application of reached) {
      for (const ends of links) {
        if (!ends.includes(application)) continue;
        for (const end of ends) if (present.has(end)) reached.add(end);
      }
    }
    return inside.filter(({ application }) => !reached.has(application));
  });
}

/** Names of the subordinate units that go when these relations go. */
export function unitsGoingWith(
  gone: readonly RelationInfo[],
  units: readonly UnitInfo[],
  relations: readonly RelationInfo[],
): string[] {
  const ids = new Set(gone.map(({ id }) => id));
  const before = new Set(unsupported(units, relations).map(({ name }) => name));
  return unsupported(units, relations.filter(({ id }) => !ids.has(id)))
    .map(({ name }) => name)
    .filter((name) => !before.has(name))
    .sort(natural);
}

/** Subordinate units in the containers of these units. */
export function subordinatesOf(names: ReadonlySet<string>, units: readonly UnitInfo[]): string[] {
  return units
    .filter(({ principal }) => principal && names.has(principal))
    .map(({ name }) => name)
    .sort(natural);
}

/** `site/0` is of `site`. */
export const applicationOf = (unit: string): string => unit.slice(0, unit.lastIndexOf("/"));
