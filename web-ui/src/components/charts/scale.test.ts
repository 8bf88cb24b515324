import { describe, expect, it } from 'vitest';

import { axisTextWidth, besideZone, decades, linear, logarithmic, niceTicks, quantile, withinAxis } from './scale';

describe('scales', () => {
  it('maps lines and decades', () => {
    expect(linear(0, 10, 100, 0)(5)).toBe(50);
    expect(linear(3, 3, 0, 10)(3)).toBe(5);
    expect(logarithmic(1, 100, 0, 20)(10)).toBeCloseTo(10);
    expect(logarithmic(1, 100, 0, 20)(0)).toBe(0);
  });

  it('finds decades around values', () => {
    expect(decades([250, 80_000])).toEqual([100, 100_000]);
    expect(decades([100])).toEqual([100, 1000]);
    expect(decades([0])).toEqual([1, 10]);
    expect(decades([])).toEqual([1, 10]);
  });

  it('makes round ticks that reach the end', () => {
    expect(niceTicks(0, 97, 4)).toEqual([0, 25, 50, 75, 100]);
    expect(niceTicks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(niceTicks(4, 4, 3)).toEqual([4]);
  });

  it('counts in whole steps, and bytes in powers of two', () => {
    expect(niceTicks(0, 1, 3, 'whole')).toEqual([0, 1]);
    expect(niceTicks(0, 7, 3, 'whole')).toEqual([0, 3, 6, 9]);
    const mebibyte = 2 ** 20;
    expect(niceTicks(0, 190 * mebibyte, 3, 'binary').map((each) => each / mebibyte)).toEqual([0, 64, 128, 192]);
    expect(niceTicks(0, 1, 3, 'binary')).toEqual([0, 1]);
  });

  it('reads quantiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('cuts no text off at either end of an axis', () => {
    const text = '06:40:30';
    for (const x of [0, 3, 320, 637, 640]) {
      const middle = withinAxis(x, text, 640);
      expect(middle - axisTextWidth(text) / 2).toBeGreaterThanOrEqual(0);
      expect(middle + axisTextWidth(text) / 2).toBeLessThanOrEqual(640);
    }
    expect(withinAxis(320, text, 640)).toBe(320);
  });

  it('leaves the zone its place at the left end of a time axis', () => {
    const ticks = [4, 90, 300].map((x) => ({ x, text: '06:40' }));
    expect(besideZone(ticks, 'UTC+01:00', 640).map(({ x }) => x)).toEqual([90, 300]);
    expect(besideZone(ticks, '', 640)).toHaveLength(3);
    for (const { x, text } of besideZone(ticks, 'UTC', 640)) {
      expect(withinAxis(x, text, 640) - axisTextWidth(text) / 2).toBeGreaterThan(axisTextWidth('UTC'));
    }
  });
});
