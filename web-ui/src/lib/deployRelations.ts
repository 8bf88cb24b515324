/**
 * What an application that is about to be deployed can be integrated with, and what came of it. There is no such thing
 * as a deploy with relations: each is made afterwards, and one that is refused takes nothing back.
 */
import type { ApplicationInfo, CharmInfo, RelationInfo } from "../api/types";
import { isFull, offers, type Side, sideName } from "./relations";

/** One relation that can be chosen. */
export interface Possible {
  /** Whatever the application is called: its endpoint and the one at the other end. */
  key: string;
  mine: Side;
  other: Side;
}

/** A name that no application has, for one that has none yet. */
const NOBODY = "?";

/** Every relation that the charm's application could have in the model, declared endpoints first. */
export function possibleRelations(
  charm: Pick<CharmInfo, "url" | "metadata">,
  applications: readonly Pick<ApplicationInfo, "name" | "charm" | "life">[],
  charms: readonly Pick<CharmInfo, "url" | "metadata">[],
  relations: readonly RelationInfo[],
): Possible[] {
  const known = charms.some(({ url }) => url === charm.url) ? charms : [...charms, charm];
  const own = { name: NOBODY, charm: charm.url, life: "alive" as const };
  return offers([...applications, own], known, relations, NOBODY).flatMap(({ mine, others }) =>
    others.map((other) => ({ key: `${mine.name} ${sideName(other)}`, mine, other })),
  );
}

/** Whether another relation can be chosen beside those that are: endpoints have limits. */
export function hasRoom(one: Possible, chosen: readonly Possible[], relations: readonly RelationInfo[]): boolean {
  const others = chosen.filter(({ key }) => key !== one.key);
  // Those that are chosen count as if they were there.
  const taken = others.map(({ mine, other }) => ({ endpoints: [mine, other] }) as unknown as RelationInfo);
  return [one.mine, one.other].every((side) => !isFull(side, [...relations, ...taken]));
}

/** As commands and the API name its ends. */
export const endpointsOf = ({ mine, other }: Possible, name: string): [string, string] => [
  sideName({ application: name, name: mine.name }),
  sideName(other),
];

export interface Refused {
  endpoints: [string, string];
  error: unknown;
}

/** Makes one relation after the other, whatever becomes of each, and returns those that were refused. */
export async function integrateAll(
  wanted: readonly [string, string][],
  integrate: (endpoints: [string, string]) => Promise<unknown>,
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (const endpoints of wanted) {
    try {
      await integrate(endpoints);
    } catch (error) {
      refused.push({ endpoints, error });
    }
  }
  return refused;
}
