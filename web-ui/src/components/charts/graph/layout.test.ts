import { describe, expect, it } from 'vitest';

import { arrange, firstView, fitOf, grid, layered, parts, wrapped, type Box, type Drawing } from './layout';

const WINDOW = { width: 1200, height: 500 };

function boxes(count: number, width = 100, height = 40): Box[] {
  return Array.from({ length: count }, (_, index) => ({ id: `n${index}`, width, height }));
}

function overlapping(all: Box[], drawing: Drawing): string[] {
  const found: string[] = [];
  all.forEach((a, index) => {
    const p = drawing.places.get(a.id);
    for (const b of all.slice(index + 1)) {
      const q = drawing.places.get(b.id);
      if (!p || !q) found.push(`${a.id} or ${b.id} has no place`);
      else if (p.x < q.x + b.width && q.x < p.x + a.width && p.y < q.y + b.height && q.y < p.y + a.height) {
        found.push(`${a.id} over ${b.id}`);
      }
    }
  });
  return found;
}

describe('layout', () => {
  it('puts fifty boxes without links in a grid of about the window\'s shape', () => {
    const all = boxes(50, 168, 52);
    const drawing = grid(all, 2);
    expect(overlapping(all, drawing)).toEqual([]);
    expect(drawing.width / drawing.height).toBeGreaterThan(1.3);
    expect(drawing.width / drawing.height).toBeLessThan(3);
  });

  it('lets links point along the direction', () => {
    const drawing = layered(boxes(3), [{ source: 'n0', target: 'n1' }, { source: 'n1', target: 'n2' }], 'LR');
    const xs = ['n0', 'n1', 'n2'].map((id) => drawing.places.get(id)?.x ?? NaN);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    expect(xs[0]).toBe(0);
  });

  it('survives circles, links to itself and links to nobody', () => {
    const all = boxes(3);
    const links = [
      { source: 'n0', target: 'n1' },
      { source: 'n1', target: 'n0' },
      { source: 'n2', target: 'n2' },
      { source: 'n2', target: 'gone' },
    ];
    const { drawing } = arrange(all, links, WINDOW, { directions: ['LR'] });
    expect([...drawing.places.keys()].sort()).toEqual(['n0', 'n1', 'n2']);
    expect(overlapping(all, drawing)).toEqual([]);
  });

  it('wraps what hangs on one node, so that fifty stay readable', () => {
    const all = boxes(50, 168, 52);
    const star = all.slice(1).map((box) => ({ source: 'n0', target: box.id }));
    const { drawing, direction } = arrange(all, star, WINDOW, { directions: ['LR', 'TB'] });
    expect(overlapping(all, drawing)).toEqual([]);
    expect(fitOf(drawing, WINDOW)).toBeGreaterThan(0.6);
    expect(direction).toBe('TB');
    expect(drawing.places.get('n0')?.y).toBe(0);
  });

  it('wraps circles without end', () => {
    const all = boxes(3);
    const circle = ['n0', 'n1', 'n2'].map((source, index) => ({ source, target: `n${(index + 1) % 3}` }));
    const drawing = wrapped(all, circle, 2);
    expect(drawing.places.size).toBe(3);
    expect(overlapping(all, drawing)).toEqual([]);
  });

  it('keeps parts apart, the largest first', () => {
    const all = boxes(6);
    const links = [
      { source: 'n4', target: 'n5' },
      { source: 'n0', target: 'n1' },
      { source: 'n1', target: 'n2' },
    ];
    const { connected, single } = parts(all, links);
    expect(connected.map((part) => part.length)).toEqual([3, 2]);
    expect(single.map((box) => box.id)).toEqual(['n3']);
    expect(overlapping(all, arrange(all, links, WINDOW, { directions: ['TB'] }).drawing)).toEqual([]);
  });

  it('shows all of a small drawing and the beginning of a large one', () => {
    expect(firstView({ width: 100, height: 50 }, { width: 800, height: 400 })).toEqual({ x: 350, y: 175, zoom: 1 });
    expect(firstView({ width: 4000, height: 3000 }, { width: 360, height: 400 })).toEqual({ x: 16, y: 16, zoom: 0.75 });
    // As wide as the window: what is left of it is left on both sides.
    expect(firstView({ width: 464, height: 600 }, { width: 366, height: 400 }).x).toBe(9);
    expect(firstView({ width: 0, height: 0 }, { width: 360, height: 400 }).zoom).toBe(1);
  });
});
