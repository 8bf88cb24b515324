/** What the topology draws: boxes, lines and groups of applications. Pure. */
import { arrange, grid, type Box, type Direction, type Drawing } from './graph/layout';
import { routesOf, type Picture, type Pin } from './graph/routes';
import { lookOf, urgency } from './status';
import { lineLabel, type Attachment, type Shape } from './topologyLines';
import type { RelationInfo, TopologyApplication } from './types';

/** Beyond this many applications the boxes are smaller and say less. */
export const COMPACT_FROM = 16;

/** Up to this many lines say their interface. */
export const LABELS_UP_TO = 12;

export interface Sizes {
  width: number;
  height: number;
}

export function boxSize(applications: number): Sizes {
  return applications > COMPACT_FROM ? { width: 168, height: 52 } : { width: 208, height: 84 };
}

/** `front:website – site:website (http, 80/tcp)`. */
export function relationText(relation: RelationInfo): string {
  const ends = relation.endpoints.map((end) => `${end.application}:${end.name}`).join(' – ');
  const { status } = relation.status;
  const troubled = status !== 'joined' ? `, ${status}` : '';
  const ports = relation.ports?.length ? `, ${relation.ports.join(', ')}` : '';
  return `${ends} (${relation.interface}${ports}${relation.scope === 'container' ? ', subordinate' : ''}${troubled})`;
}

/** What a line is called: first what is written at it, so that it can be asked for by that, then its relations. */
export function lineName(relations: RelationInfo[]): string {
  return `${lineLabel(relations)}: ${relations.map(relationText).join('; ')}`;
}

/** Relations of an application; those to itself included. */
export function relationsOf(name: string, relations: RelationInfo[]): RelationInfo[] {
  return relations.filter((each) => each.endpoints.some((end) => end.application === name));
}

export interface Group extends Box {
  title: string;
  members: TopologyApplication[];
}

const TITLES = {
  negative: 'Needs attention',
  caution: 'Waiting',
  information: 'Working',
  positive: 'Active',
  neutral: 'Unknown',
} as const;

/** Applications by what their status asks for, the worst first, each group by name. */
export function groupsOf(applications: TopologyApplication[]): { title: string; members: TopologyApplication[] }[] {
  const groups = new Map<string, TopologyApplication[]>();
  const sorted = [...applications].sort(
    (a, b) => urgency(a.status) - urgency(b.status) || a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
  for (const application of sorted) {
    const title = TITLES[lookOf(application.status).tone];
    groups.set(title, [...(groups.get(title) ?? []), application]);
  }
  return [...groups].map(([title, members]) => ({ title, members }));
}

const HEADING = 34;
const PADDING = 12;
const BETWEEN = 20;

/** Places of applications without relations: frames below each other, a grid in each. */
export function groupedDrawing(applications: TopologyApplication[], windowWidth: number): { drawing: Drawing; frames: Group[] } {
  const size = boxSize(applications.length);
  const gap = 12;
  // On a phone a little smaller, so that two stand side by side.
  const room = Math.max(size.width, (windowWidth < 600 ? windowWidth * 1.32 : windowWidth - 32) - 2 * PADDING);
  const columns = Math.max(1, Math.floor((room + gap) / (size.width + gap)));
  const places: Drawing['places'] = new Map();
  const frames: Group[] = [];
  let [y, width] = [0, 0];
  for (const { title, members } of groupsOf(applications)) {
    const across = Math.min(columns, members.length);
    const inner = grid(
      members.map(({ name }) => ({ id: name, ...size })),
      // As many columns as there is room for, whatever the shape that makes.
      (across * across * (size.width + gap)) / (members.length * (size.height + gap)),
      gap,
    );
    const frame = {
      id: `group ${title}`,
      title,
      members,
      width: Math.max(inner.width, 168) + 2 * PADDING,
      height: inner.height + HEADING + PADDING,
    };
    frames.push(frame);
    places.set(frame.id, { x: 0, y });
    for (const [id, place] of inner.places) places.set(id, { x: place.x + PADDING, y: place.y + y + HEADING });
    y += frame.height + BETWEEN;
    width = Math.max(width, frame.width);
  }
  return { drawing: { places, width, height: Math.max(0, y - BETWEEN) }, frames };
}

/** A subordinate's place at the side of a principal's box. */
export const TAB = { height: 28, inset: 14 };

/**
 * Places of applications with relations, and how the lines run. A box and what is attached to it are placed as one,
 * and lines of what is attached count as the box's.
 */
export function relatedDrawing(
  { boxes, attached, lines }: Shape,
  size: Sizes,
  window: Sizes,
): Required<Picture> {
  const directions: Direction[] = window.width < 600 ? ['TB', 'LR'] : ['LR', 'TB'];
  const labelled = lines.length <= LABELS_UP_TO;
  const home = new Map(attached.map(({ id, principal }) => [id, principal]));
  const at = (name: string): string => home.get(name) ?? name;
  const tabs = byPrincipal(attached);
  const whole = boxes.map((id) => ({
    id,
    width: size.width,
    height: size.height + (tabs.get(id)?.length ?? 0) * TAB.height,
  }));
  const links = lines.map(({ source, target }) => ({ source: at(source), target: at(target) }));
  const { drawing, direction } = arrange(whole, links, window, { directions, labelled });
  const pins = new Map<string, Pin>();
  for (const [principal, own] of tabs) {
    const host = drawing.places.get(principal);
    if (!host) continue;
    own.forEach(({ id }, index) => {
      const place = { x: host.x + TAB.inset, y: host.y + size.height + index * TAB.height };
      pins.set(id, { box: principal, place, width: size.width - TAB.inset, height: TAB.height });
    });
  }
  const routes = routesOf(whole, lines, drawing, direction, pins);
  for (const [id, { place }] of pins) drawing.places.set(id, place);
  return { drawing, direction, routes };
}

function byPrincipal(attached: Attachment[]): Map<string, Attachment[]> {
  const groups = new Map<string, Attachment[]>();
  for (const each of attached) groups.set(each.principal, [...(groups.get(each.principal) ?? []), each]);
  return groups;
}
