/** Who reaches whom, as rows of tables and words beside lines. Pure. */
import type { Reachability, RelationInfo, ServiceInfo, UnitReach } from "../api/types";
import { whomOf } from "./reach";

/** An open range of a unit that is shown to addresses outside. */
export interface OutsideWay {
  unit: string;
  ports: string;
  /** `everybody`, `10.0.0.0/8`. */
  from: string;
  /** Where it listens. */
  listening: string[];
  /** What of it does not, and why. */
  silent: { port: string; reason: string }[];
}

/** Units of an application that reach units of another, or of their own. */
export interface InsideWay {
  application: string;
  /** Of those that are reached. */
  endpoint: string;
  withinContainer: boolean;
  ports: string[];
  /** Who is reached. */
  units: string[];
}

export const applicationOfUnit = (unit: string): string => unit.split("/")[0] ?? "";

const natural = new Intl.Collator(undefined, { numeric: true });

const byName = <T>(named: Record<string, T>): [string, T][] =>
  Object.entries(named).sort(([one], [other]) => natural.compare(one, other));

export function outsideWays(reach: Reachability): OutsideWay[] {
  return byName(reach.units).flatMap(([unit, of]) =>
    byName(of["exposed-to"]).map(([ports, cidrs]) => ({
      unit,
      ports,
      from: whomOf(cidrs),
      listening: of.listening.filter(({ port }) => covers(ports, port)).map(({ address }) => address),
      silent: of["not-listening"].filter(({ port }) => covers(ports, port)),
    })),
  );
}

/** Units that are reached alike are one row. */
export function insideWays(reach: Reachability): InsideWay[] {
  const rows = new Map<string, InsideWay>();
  for (const [unit, of] of byName(reach.units)) {
    for (const way of of["reached-by"]) {
      const { application, endpoint, ports } = way;
      const withinContainer = way["within-container"];
      const key = JSON.stringify([applicationOfUnit(unit), application, endpoint, withinContainer, ports]);
      const row = rows.get(key);
      if (row) row.units.push(unit);
      else rows.set(key, { application, endpoint, withinContainer, ports, units: [unit] });
    }
  }
  return [...rows.values()];
}

/** What each unit has open, where every unit of the model reaches all of it. */
export function openUnits(reach: Reachability): { unit: string; ports: string[] }[] {
  if (reach.mode !== "model") return [];
  const opened = byName(reach.units).map(([unit, { open }]) => ({ unit, ports: open.map(({ ports }) => ports) }));
  return opened.filter(({ ports }) => ports.length > 0);
}

/** Ports that flow by a relation, to whichever of its ends. */
export function portsOfRelation(reach: Reachability, relation: RelationInfo): string[] {
  const [one, other = one] = relation.endpoints;
  const found = new Set<string>();
  for (const [unit, of] of byName(reach.units)) {
    for (const way of of["reached-by"]) {
      const led = [[one, other], [other, one]].some(
        ([to, from]) =>
          to?.application === applicationOfUnit(unit) &&
          to.name === way.endpoint &&
          from?.application === way.application,
      );
      if (led) for (const ports of way.ports) found.add(ports);
    }
  }
  return [...found];
}

/** Whether some of an application's ports show to the outside. */
export const shows = (units: readonly (UnitReach | undefined)[]): boolean =>
  units.some((unit) => unit !== undefined && Object.keys(unit["exposed-to"]).length > 0);

/**
 * The service that answers by the unit's name: of those that run and whose port is open, that with the lowest
 * port, as the gate has it.
 */
export function foundByName(services: readonly ServiceInfo[], open: readonly string[]): ServiceInfo | undefined {
  const port = (service: ServiceInfo): number => service.port ?? Number.POSITIVE_INFINITY;
  return services
    .filter(({ current }) => current === "active")
    .filter((service) => open.some((ports) => covers(ports, `${port(service)}/tcp`)))
    .reduce<ServiceInfo | undefined>((first, each) => (first && port(first) <= port(each) ? first : each), undefined);
}

/** Whether a range such as `80-81/tcp` has a port such as `80/tcp`. */
function covers(range: string, port: string): boolean {
  const [whole, one] = [read(range), read(port)];
  return whole.protocol === one.protocol && whole.start <= one.start && whole.end >= one.end;
}

function read(text: string): { protocol: string; start: number; end: number } {
  const [ports = "", protocol = ""] = text.split("/");
  const [start = Number.NaN, end = start] = ports.split("-").filter(Boolean).map(Number);
  return { protocol, start, end };
}
