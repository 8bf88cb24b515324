import { describe, expect, it } from 'vitest';

import { layered, wrapped, type Box, type Direction, type Drawing } from './layout';
import { pathOf, routesOf, type Pin, type Route, type RoutedLink } from './routes';

const box = (id: string, height = 40): Box => ({ id, width: 100, height });
const link = (source: string, target: string): RoutedLink => ({ id: `${source} ${target}`, source, target });

/** A picture by hand: boxes of 100 by 40. */
function drawn(places: Record<string, [x: number, y: number]>): { boxes: Box[]; drawing: Drawing } {
  return {
    boxes: Object.keys(places).map((id) => box(id)),
    drawing: { places: new Map(Object.entries(places).map(([id, [x, y]]) => [id, { x, y }])), width: 0, height: 0 },
  };
}

/** Boxes behind which a line runs. Between two corners it stays within the rectangle that they span. */
function behind(route: Route | undefined, boxes: Box[], drawing: Drawing): string[] {
  if (!route) return ['no route'];
  return boxes
    .filter(({ id, width, height }) => {
      const { x, y } = drawing.places.get(id) ?? { x: NaN, y: NaN };
      return route.corners.some((one, index) => {
        const next = route.corners[index + 1];
        if (!next) return false;
        const over = (a: number, b: number, low: number, high: number): boolean =>
          Math.max(a, b) > low + 0.01 && Math.min(a, b) < high - 0.01;
        return over(one.x, next.x, x, x + width) && over(one.y, next.y, y, y + height);
      });
    })
    .map(({ id }) => id);
}

describe('a line', () => {
  const rows = drawn({ top: [0, 0], middle: [0, 100], beside: [124, 100], bottom: [0, 200] });

  it('from the first row to the third runs through a gap of the second', () => {
    const links = [link('top', 'bottom'), link('top', 'middle'), link('top', 'beside')];
    const route = routesOf(rows.boxes, links, rows.drawing, 'TB').get('top bottom');
    expect(behind(route, rows.boxes, rows.drawing)).toEqual([]);
    expect(route?.corners[0]).toEqual({ x: 50, y: 40 });
    expect(route?.corners.at(-1)).toEqual({ x: 50, y: 200 });
    // Around the nearer side: to the left of `middle`, no farther than needed.
    expect(route?.corners[1]).toEqual({ x: -6, y: 100 });
    expect(route?.corners[2]).toEqual({ x: -6, y: 140 });
  });

  it('to the next row has no corner', () => {
    const routes = routesOf(rows.boxes, [link('top', 'middle'), link('top', 'beside'), link('middle', 'bottom')], rows.drawing, 'TB');
    expect(routes.get('top middle')?.corners).toEqual([{ x: 50, y: 40 }, { x: 50, y: 100 }]);
    expect(routes.get('top beside')?.corners).toHaveLength(2);
    expect(routes.get('top beside')?.label).toEqual({ x: 112, y: 70 });
  });

  it('against the direction leaves at the other side', () => {
    const links = [link('bottom', 'top'), link('top', 'middle'), link('top', 'beside')];
    const route = routesOf(rows.boxes, links, rows.drawing, 'TB').get('bottom top');
    expect(route?.corners[0]).toEqual({ x: 50, y: 200 });
    expect(route?.corners.at(-1)).toEqual({ x: 50, y: 40 });
    expect(behind(route, rows.boxes, rows.drawing)).toEqual([]);
  });

  it('within a row runs below it', () => {
    const { boxes, drawing } = drawn({ a: [0, 0], b: [124, 0], c: [248, 0] });
    const route = routesOf(boxes, [link('a', 'c'), link('a', 'b')], drawing, 'TB').get('a c');
    expect(route?.corners).toEqual([{ x: 50, y: 40 }, { x: 50, y: 50 }, { x: 298, y: 50 }, { x: 298, y: 40 }]);
  });

  it('is not drawn over another in the same gap', () => {
    const { boxes, drawing } = drawn({ a: [0, 0], b: [124, 0], x: [0, 100], y: [124, 100], c: [0, 200], d: [124, 200] });
    const links = [link('a', 'd'), link('b', 'c'), link('a', 'x'), link('b', 'y'), link('b', 'x')];
    const routes = routesOf(boxes, links, drawing, 'TB');
    const [one, other] = ['a d', 'b c'].map((id) => routes.get(id)?.corners[1]?.x ?? NaN);
    expect(Math.abs((one ?? 0) - (other ?? 0))).toBeGreaterThanOrEqual(6);
    for (const route of routes.values()) expect(behind(route, boxes, drawing)).toEqual([]);
  });

  it('to what hangs below a box goes around that box', () => {
    const { drawing } = drawn({ top: [0, 0], host: [0, 100] });
    const boxes = [box('top'), box('host', 68)];
    const pins = new Map<string, Pin>([['guest', { box: 'host', place: { x: 14, y: 140 }, width: 86, height: 28 }]]);
    const down = routesOf(boxes, [link('top', 'guest')], drawing, 'TB', pins).get('top guest');
    expect(down?.corners.slice(-3)).toEqual([{ x: -6, y: 100 }, { x: -6, y: 154 }, { x: 14, y: 154 }]);
    drawing.places.set('host', { x: 300, y: 0 });
    pins.set('guest', { box: 'host', place: { x: 314, y: 40 }, width: 86, height: 28 });
    const right = routesOf(boxes, [link('top', 'guest')], drawing, 'LR', pins).get('top guest');
    expect(right?.corners.at(-1)).toEqual({ x: 314, y: 54 });
  });

  it('down from a box leaves it beside what hangs at it', () => {
    const { drawing } = drawn({ host: [0, 0], below: [0, 120] });
    const boxes = [box('host', 68), box('below')];
    const pins = new Map<string, Pin>([['guest', { box: 'host', place: { x: 14, y: 40 }, width: 86, height: 28 }]]);
    const route = routesOf(boxes, [link('host', 'below')], drawing, 'TB', pins).get('host below');
    expect(route?.corners.slice(0, 3)).toEqual([{ x: 0, y: 20 }, { x: -6, y: 20 }, { x: -6, y: 68 }]);
    expect(route?.corners.at(-1)).toEqual({ x: 50, y: 120 });
  });

  it('to itself or to nobody is none', () => {
    expect(routesOf(rows.boxes, [link('top', 'top'), link('top', 'gone')], rows.drawing, 'TB').size).toBe(0);
  });
});

describe('no line runs behind a box', () => {
  /** The same numbers each time. */
  function numbers(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
  }

  function graph(seed: number): { boxes: Box[]; links: RoutedLink[] } {
    const next = numbers(seed);
    const boxes = Array.from({ length: 16 }, (_, index) => box(`n${index}`, 40 + 28 * next(3)));
    const links = new Map<string, RoutedLink>();
    // Each with an earlier one, so that all hang together, and as many more from anywhere to anywhere.
    for (let index = 1; index < boxes.length; index += 1) {
      for (const one of [link(`n${next(index)}`, `n${index}`), link(`n${next(16)}`, `n${next(16)}`)]) {
        if (one.source !== one.target && !links.has(`${one.target} ${one.source}`)) links.set(one.id, one);
      }
    }
    return { boxes, links: [...links.values()] };
  }

  const layouts: [string, Direction, (boxes: Box[], links: RoutedLink[]) => Drawing][] = [
    ['columns', 'LR', (boxes, links) => layered(boxes, links, 'LR')],
    ['rows', 'TB', (boxes, links) => layered(boxes, links, 'TB')],
    ['wrapped rows', 'TB', (boxes, links) => wrapped(boxes, links, 4)],
  ];

  it.each(layouts)('of five graphs in %s', (_, direction, layout) => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const { boxes, links } = graph(seed);
      const drawing = layout(boxes, links);
      const routes = routesOf(boxes, links, drawing, direction);
      const found = links.flatMap(({ id }) => behind(routes.get(id), boxes, drawing).map((over) => `${seed}: ${id} behind ${over}`));
      expect(found).toEqual([]);
    }
  });
});

describe('a path', () => {
  it('is straight along and across, and curved between lanes', () => {
    const route: Route = { corners: [{ x: 0, y: 0 }, { x: 0, y: 10 }, { x: 20, y: 30 }, { x: 40, y: 30 }], label: { x: 0, y: 0 } };
    expect(pathOf(route, 'TB')).toBe('M0 0L0 10C0 20 20 20 20 30L40 30');
    expect(pathOf(route, 'LR')).toBe('M0 0L0 10C10 10 10 30 20 30L40 30');
  });
});
