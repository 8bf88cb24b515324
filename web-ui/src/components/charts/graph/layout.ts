/**
 * Where the boxes of a drawn graph stand. Pure: names and sizes in, places out, the same for the
 * same input, so that a change of status never moves a box.
 */
import { Graph, layout } from '@dagrejs/dagre';

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Link {
  source: string;
  target: string;
}

export interface Place {
  x: number;
  y: number;
}

export interface Area {
  width: number;
  height: number;
}

export interface Drawing extends Area {
  /** Top left corner of each box. */
  places: Map<string, Place>;
}

export type Direction = 'LR' | 'TB';

const GAP = 24;

/** Boxes of one connected part in layers, links pointing along `direction`. */
export function layered(boxes: Box[], links: Link[], direction: Direction, gap = GAP, labelled = false): Drawing {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: direction, nodesep: gap, ranksep: gap * (direction === 'LR' ? (labelled ? 7.5 : 4) : 2.5), edgesep: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  for (const link of links) {
    if (link.source !== link.target) graph.setEdge(link.source, link.target);
  }
  layout(graph);
  const places = new Map<string, Place>();
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    const node = graph.node(box.id) as { x: number; y: number };
    const place = { x: node.x - box.width / 2, y: node.y - box.height / 2 };
    places.set(box.id, place);
    left = Math.min(left, place.x);
    top = Math.min(top, place.y);
    right = Math.max(right, place.x + box.width);
    bottom = Math.max(bottom, place.y + box.height);
  }
  for (const place of places.values()) {
    place.x -= left;
    place.y -= top;
  }
  return boxes.length === 0 ? { places, width: 0, height: 0 } : { places, width: right - left, height: bottom - top };
}

/** Boxes in rows of cells as large as the largest, filling a shape as wide to high as `aspect`. */
export function grid(boxes: Box[], aspect: number, gap = GAP): Drawing {
  const places = new Map<string, Place>();
  if (boxes.length === 0) return { places, width: 0, height: 0 };
  const cellWidth = Math.max(...boxes.map(({ width }) => width)) + gap;
  const cellHeight = Math.max(...boxes.map(({ height }) => height)) + gap;
  const wanted = Math.sqrt((boxes.length * cellHeight * aspect) / cellWidth);
  const columns = Math.min(boxes.length, Math.max(1, Math.round(wanted)));
  boxes.forEach((box, index) => {
    places.set(box.id, {
      x: (index % columns) * cellWidth,
      y: Math.floor(index / columns) * cellHeight,
    });
  });
  const rows = Math.ceil(boxes.length / columns);
  return { places, width: columns * cellWidth - gap, height: rows * cellHeight - gap };
}

/** The parts of a graph that hang together, largest first, and the boxes nothing links. */
export function parts(boxes: Box[], links: Link[]): { connected: Box[][]; single: Box[] } {
  const neighbours = new Map<string, string[]>(boxes.map((box) => [box.id, []]));
  for (const { source, target } of links) {
    if (source === target) continue;
    neighbours.get(source)?.push(target);
    neighbours.get(target)?.push(source);
  }
  const byName = new Map(boxes.map((box) => [box.id, box]));
  const seen = new Set<string>();
  const found: Box[][] = [];
  for (const box of boxes) {
    if (seen.has(box.id)) continue;
    const part: Box[] = [];
    const waiting = [box.id];
    seen.add(box.id);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const member = byName.get(id);
      if (member) part.push(member);
      for (const next of neighbours.get(id) ?? []) {
        if (byName.has(next) && !seen.has(next)) {
          seen.add(next);
          waiting.push(next);
        }
      }
    }
    found.push(part);
  }
  const connected = found.filter((part) => part.length > 1).sort((a, b) => b.length - a.length);
  return { connected, single: found.filter((part) => part.length === 1).flat() };
}

/** How large a drawing can be shown in a window, 1 being its own size. */
export function fitOf(drawing: Area, window: Area): number {
  return Math.min(window.width / Math.max(1, drawing.width), window.height / Math.max(1, drawing.height));
}

function inShelves(drawings: Drawing[], limit: number, gap: number): Drawing {
  const places = new Map<string, Place>();
  let [x, y, shelf, width] = [0, 0, 0, 0];
  for (const drawing of drawings) {
    if (x > 0 && x + drawing.width > limit) {
      x = 0;
      y += shelf + gap;
      shelf = 0;
    }
    for (const [id, place] of drawing.places) places.set(id, { x: place.x + x, y: place.y + y });
    x += drawing.width + gap;
    width = Math.max(width, x - gap);
    shelf = Math.max(shelf, drawing.height);
  }
  return { places, width, height: y + shelf };
}

/** Drawings side by side in shelves, as wide as lets them all be shown largest. */
export function shelves(drawings: Drawing[], window: Area, gap = GAP * 2): Drawing {
  const all = drawings.reduce((sum, each) => sum + each.width + gap, 0);
  const widest = Math.max(0, ...drawings.map((each) => each.width));
  const limits = Array.from({ length: 16 }, (_, index) => widest + ((all - widest) * index) / 15);
  return limits
    .map((limit) => inShelves(drawings, limit, gap))
    .reduce((best, each) => (fitOf(each, window) > fitOf(best, window) * 1.001 ? each : best));
}

/** How deep each box stands below those it is linked from. */
function depths(boxes: Box[], links: Link[]): Map<string, number> {
  const into = new Map<string, string[]>();
  for (const { source, target } of links) {
    if (source !== target) into.set(target, [...(into.get(target) ?? []), source]);
  }
  const known = new Map<string, number>();
  const depth = (id: string, path: Set<string>): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // A circle is cut where it closes.
    if (path.has(id)) return -1;
    path.add(id);
    const value = Math.max(-1, ...(into.get(id) ?? []).map((source) => depth(source, path))) + 1;
    path.delete(id);
    known.set(id, value);
    return value;
  };
  for (const box of boxes) depth(box.id, new Set());
  return known;
}

/**
 * Boxes of one width in layers from top to bottom, a layer too wide for `columns` in several rows:
 * a graph with one node that all others need stays in the window.
 */
export function wrapped(boxes: Box[], links: Link[], columns: number, gap = GAP): Drawing {
  const depthOf = depths(boxes, links);
  const layers: Box[][] = [];
  for (const box of boxes) (layers[depthOf.get(box.id) ?? 0] ??= []).push(box);
  const places = new Map<string, Place>();
  let [y, width] = [0, 0];
  const centre = (id: string) => places.get(id)?.x ?? 0;
  for (const layer of layers) {
    if (!layer) continue;
    // Below what they are linked from, so that lines cross little.
    const wish = new Map(
      layer.map((box) => {
        const above = links.filter((link) => link.target === box.id && places.has(link.source));
        return [box.id, above.reduce((sum, link) => sum + centre(link.source), 0) / Math.max(1, above.length)];
      }),
    );
    const sorted = [...layer].sort((a, b) => (wish.get(a.id) ?? 0) - (wish.get(b.id) ?? 0));
    const rows = Math.ceil(sorted.length / columns);
    const across = Math.ceil(sorted.length / rows);
    const tallest = Math.max(0, ...sorted.map(({ height }) => height));
    sorted.forEach((box, index) => {
      const row = Math.floor(index / across);
      const inRow = Math.min(across, sorted.length - row * across);
      const cell = box.width + gap;
      const x = ((columns - inRow) * cell) / 2 + (index % across) * cell;
      places.set(box.id, { x, y: y + row * (tallest + gap) });
      width = Math.max(width, x + box.width);
    });
    y += rows * (tallest + gap) + gap;
  }
  const left = Math.min(...[...places.values()].map((place) => place.x), Infinity);
  for (const place of places.values()) place.x -= left;
  return places.size === 0
    ? { places, width: 0, height: 0 }
    : { places, width: width - left, height: Math.max(0, y - 2 * gap) };
}

/** Size at which a drawing in plain layers is readable enough to be preferred. */
const READABLE = 0.75;

export interface Options {
  /** Directions to try, the preferred first. */
  directions: Direction[];
  /** Room between layers for what is written on the lines. */
  labelled?: boolean | undefined;
}

/**
 * A whole graph: its connected parts in layers, the rest in a grid. Of the ways to draw it, the
 * first that is readable in the window, or the one that comes closest.
 */
export function arrange(
  boxes: Box[],
  links: Link[],
  window: Area,
  { directions, labelled = false }: Options,
): { drawing: Drawing; direction: Direction } {
  const { connected, single } = parts(boxes, links);
  const inner = connected.map((part) => {
    const members = new Set(part.map((box) => box.id));
    return { part, links: links.filter((link) => members.has(link.source) && members.has(link.target)) };
  });
  const aspect = window.width / Math.max(1, window.height);
  const rest = single.length > 0 ? [grid(single, connected.length === 0 ? aspect : Math.max(0.5, aspect / 2))] : [];
  const together = (drawings: Drawing[]) => shelves([...drawings, ...rest], window);

  const tried: { drawing: Drawing; direction: Direction }[] = [];
  for (const direction of directions) {
    const drawing = together(inner.map((each) => layered(each.part, each.links, direction, GAP, labelled)));
    if (fitOf(drawing, window) >= READABLE) return { drawing, direction };
    tried.push({ drawing, direction });
  }
  for (const columns of [2, 3, 4, 5, 6, 8, 10]) {
    if (inner.length === 0) break;
    const drawing = together(inner.map((each) => wrapped(each.part, each.links, columns)));
    tried.push({ drawing, direction: 'TB' });
  }
  const [first, ...others] = tried;
  if (!first) return { drawing: together([]), direction: 'TB' };
  return others.reduce(
    (best, each) => (fitOf(each.drawing, window) > fitOf(best.drawing, window) * 1.1 ? each : best),
    first,
  );
}

export interface Viewport extends Place {
  zoom: number;
}

/**
 * The first look at a drawing: all of it when that is readable, otherwise its upper part, as wide
 * as the window where that is readable.
 */
export function firstView(drawing: Area, window: Area, readable = READABLE, margin = 16): Viewport {
  const across = (window.width - 2 * margin) / Math.max(1, drawing.width);
  const down = (window.height - 2 * margin) / Math.max(1, drawing.height);
  const fit = Math.min(across, down);
  const zoom = Math.min(1, fit >= readable ? fit : Math.max(readable, across));
  const centred = (outer: number, inner: number) => {
    const beside = (outer - inner * zoom) / 2;
    return beside > 0 ? beside : margin;
  };
  return { x: centred(window.width, drawing.width), y: centred(window.height, drawing.height), zoom };
}
