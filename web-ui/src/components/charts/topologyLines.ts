/**
 * What the topology makes of relations: lines between boxes, and subordinates that stand at the
 * side of their principals. Pure.
 */
import type { Link } from './graph/layout';
import type { RelationInfo, TopologyApplication } from './types';

/** How a relation is drawn: each has a colour, a pattern and a word. */
export type LineLook = 'joined' | 'joining' | 'suspended' | 'broken';

/** The better first. */
export const LINE_LOOKS: LineLook[] = ['joined', 'joining', 'suspended', 'broken'];

export function lineLook(status: string): LineLook {
  if (status === '' || status === 'joined') return 'joined';
  if (status === 'suspended' || status === 'suspending') return 'suspended';
  return status === 'broken' || status === 'error' ? 'broken' : 'joining';
}

/** The worst of several relations, as one line shows them all. */
export function worstLook(relations: RelationInfo[]): LineLook {
  const worst = Math.max(0, ...relations.map((each) => LINE_LOOKS.indexOf(lineLook(each.status.status))));
  return LINE_LOOKS[worst] ?? 'joined';
}

/** Ports that a line names. */
const PORTS = 2;

/** `http · 80/tcp · suspended`: what several relations speak, at which ports, and how they are if not well. */
export function lineLabel(relations: RelationInfo[]): string {
  const spoken = [...new Set(relations.map((each) => each.interface))].join(', ');
  const ports = [...new Set(relations.flatMap((each) => each.ports ?? []))];
  const more = ports.length - PORTS;
  const flowing = ports.slice(0, PORTS).join(', ') + (more > 0 ? ` +${more}` : '');
  const look = worstLook(relations);
  return [spoken, flowing, look === 'joined' ? '' : look].filter(Boolean).join(' · ');
}

/** All relations between two applications as one line. */
export interface Line extends Link {
  id: string;
  relations: RelationInfo[];
}

/** A subordinate at the side of one of its principals. */
export interface Attachment {
  /** The subordinate's name where this is its only place, so that its lines end here. */
  id: string;
  subordinate: string;
  principal: string;
  relations: RelationInfo[];
}

export interface Shape {
  /** Applications with a box of their own, by name. */
  boxes: string[];
  attached: Attachment[];
  lines: Line[];
}

/** Boxes, what is attached to them, and lines, of the applications that are there. */
export function shapeOf(applications: TopologyApplication[], relations: RelationInfo[]): Shape {
  const known = new Map(applications.map((application) => [application.name, application]));
  const between = relations.flatMap((relation) => {
    const [a, b] = relation.endpoints;
    if (!a || !b || a.application === b.application) return [];
    if (!known.has(a.application) || !known.has(b.application)) return [];
    return [{ relation, ends: b.role === 'provider' ? [b, a] : [a, b] }];
  });
  const lowly = (name: string): boolean => known.get(name)?.subordinate ?? false;

  const places = new Map<string, Attachment>();
  for (const { relation, ends } of between) {
    if (relation.scope !== 'container') continue;
    const names = ends.map(({ application }) => application);
    const subordinate = names.find(lowly);
    const principal = names.find((name) => !lowly(name));
    if (subordinate === undefined || principal === undefined) continue;
    const id = `${subordinate} in ${principal}`;
    if (!places.has(id)) places.set(id, { id, subordinate, principal, relations: [] });
  }

  const lines = new Map<string, Line>();
  for (const { relation, ends } of between) {
    const [from = '', to = ''] = ends.map(({ application }) => application);
    const place = places.get(`${from} in ${to}`) ?? places.get(`${to} in ${from}`);
    const id = `${from} ${to}`;
    const line = lines.get(id) ?? lines.get(`${to} ${from}`);
    if (place) place.relations.push(relation);
    else if (line) line.relations.push(relation);
    else lines.set(id, { id, source: from, target: to, relations: [relation] });
  }

  const homes = new Map<string, Attachment[]>();
  for (const place of places.values()) homes.set(place.subordinate, [...(homes.get(place.subordinate) ?? []), place]);
  const linked = new Set([...lines.values()].flatMap(({ source, target }) => [source, target]));
  const boxes: string[] = [];
  for (const { name } of applications) {
    const [only, ...more] = homes.get(name) ?? [];
    if (only && more.length === 0) only.id = name;
    // One with several places needs a box of its own only for lines that lead elsewhere.
    else if (!only || linked.has(name)) boxes.push(name);
  }
  const byName = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
  return { boxes: boxes.sort(), attached: [...places.values()].sort(byName), lines: [...lines.values()] };
}

/** What is shown clearly while somebody points at a box or a line: the applications at both ends, and what hangs there. */
export function nearTo({ attached, lines }: Shape, pointed: string): Set<string> {
  const near = new Set<string>();
  const home = new Map(attached.map(({ id, principal }) => [id, principal]));
  for (const { id, source, target } of lines) {
    if (![id, source, target].includes(pointed)) continue;
    for (const end of [source, target]) near.add(end).add(home.get(end) ?? end);
  }
  if (lines.some(({ id }) => id === pointed)) return near;
  near.add(pointed).add(home.get(pointed) ?? pointed);
  for (const { id, principal } of attached) if (principal === pointed) near.add(id);
  return near;
}
