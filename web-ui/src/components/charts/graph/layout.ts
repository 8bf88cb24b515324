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
export function layered(boxes: Box[], links: Link[], direction: Direction, gap = GAP): Drawing {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: direction, nodesep: gap, ranksep: gap * (direction === 'LR' ? 4 : 2.5), edgesep: 12 });
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

/** Boxes of one size in rows, filling a shape as wide to high as `aspect`. */
export function grid(boxes: Box[], aspect: number, gap = GAP): Drawing {
  const places = new Map<string, Place>();
  const first = boxes[0];
  if (!first) return { places, width: 0, height: 0 };
  const [cellWidth, cellHeight] = [first.width + gap, first.height + gap];
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

/** Drawings side by side in shelves no wider than what the `aspect` of them all asks for. */
export function shelves(drawings: Drawing[], aspect: number, gap = GAP * 2): Drawing {
  const surface = drawings.reduce((sum, each) => sum + (each.width + gap) * (each.height + gap), 0);
  const widest = Math.max(0, ...drawings.map((each) => each.width));
  const limit = Math.max(widest, Math.sqrt(surface * aspect));
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

/** A whole graph: its connected parts in layers, the rest in a grid below or beside them. */
export function arrange(boxes: Box[], links: Link[], aspect: number, direction: Direction): Drawing {
  const { connected, single } = parts(boxes, links);
  const drawings = connected.map((part) => {
    const members = new Set(part.map((box) => box.id));
    return layered(part, links.filter((link) => members.has(link.source) && members.has(link.target)), direction);
  });
  if (single.length > 0) {
    const beside = drawings.length === 0 ? aspect : Math.max(0.5, aspect / 2);
    drawings.push(grid(single, beside));
  }
  return shelves(drawings, aspect);
}

export interface Viewport extends Place {
  zoom: number;
}

/**
 * The first look at a drawing: all of it when that is readable, otherwise its upper part, as wide
 * as the window where that is readable.
 */
export function firstView(drawing: Area, window: Area, readable = 0.6, margin = 16): Viewport {
  const across = (window.width - 2 * margin) / Math.max(1, drawing.width);
  const down = (window.height - 2 * margin) / Math.max(1, drawing.height);
  const fit = Math.min(across, down);
  const zoom = Math.min(1, fit >= readable ? fit : Math.max(readable, across));
  const centred = (outer: number, inner: number) => Math.max(margin, (outer - inner * zoom) / 2);
  return { x: centred(window.width, drawing.width), y: centred(window.height, drawing.height), zoom };
}
