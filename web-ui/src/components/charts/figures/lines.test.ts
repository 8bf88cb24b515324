import { describe, expect, it } from 'vitest';

import { figuresOf, linePath, lonePoints, nearestMoment, plainFigure, valueAt } from './lines';

const FRAME = { width: 400, height: 180, left: 50, right: 10, top: 10, bottom: 30 };
const T = 1_800_000_000_000_000;
const STEP = 10_000_000;
const hour = Array.from({ length: 360 }, (_, index) => ({ time: T + index * STEP, value: index % 50 }));

describe('lines of figures', () => {
  it('keeps all of an hour within the frame', () => {
    const { across, upwards, rows, moments } = figuresOf([{ name: 'rate', points: hour }], FRAME, { floor: 0 });
    expect(moments.length).toBe(360);
    expect(across(moments[0] ?? 0)).toBe(50);
    expect(across(moments.at(-1) ?? 0)).toBe(390);
    expect(upwards(0)).toBe(150);
    expect(upwards(49)).toBeGreaterThanOrEqual(10);
    expect(rows[0]).toBe(0);
    expect(rows.at(-1)).toBeGreaterThanOrEqual(49);
  });

  it('bears figures that never change, and none at all', () => {
    const flat = figuresOf([{ name: 'rate', points: [{ time: T, value: 0 }] }], FRAME, { floor: 0 });
    expect(flat.upwards(0)).toBe(150);
    expect(Number.isFinite(flat.across(T))).toBe(true);
    expect(figuresOf([], FRAME, { floor: 0 }).moments).toEqual([]);
  });

  it('breaks the line where a figure is missing', () => {
    const points = [1, null, 3, 4].map((value, index) => ({ time: index, value }));
    expect(linePath(points, (x) => x, (y) => y)).toBe('M0.0 1.0M2.0 3.0L3.0 4.0');
  });

  it('knows the figures that no line goes through', () => {
    const points = [1, null, 3, 4, null, 6].map((value, index) => ({ time: index, value }));
    expect(lonePoints(points).map(({ value }) => value)).toEqual([1, 6]);
  });

  it('finds the nearest moment', () => {
    expect([-5, 4, 6, 14, 99].map((time) => nearestMoment([0, 10, 20], time))).toEqual([0, 0, 1, 1, 2]);
    expect(nearestMoment([], 5)).toBe(-1);
    expect(valueAt([{ time: 10, value: 7 }], 10)).toBe(7);
    expect(valueAt([{ time: 10, value: 7 }], 11)).toBeNull();
  });

  it('writes figures short', () => {
    expect([0.12345, 12.34, 1234567].map(plainFigure)).toEqual(['0.123', '12.3', '1\u202f234\u202f567']);
  });
});
