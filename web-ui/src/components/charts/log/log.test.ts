import { describe, expect, it } from 'vitest';

import { guessedHeight, levelTone, lineTime, marked, recordText } from './records';
import { rowAt, sliceOf, topsOf } from './window';
import { timeText } from '../time';

const record = { time: timeText(1_800_000_000_000_000), entity: 'unit-site-0', level: 'INFO', module: 'unit', message: 'hello' };

describe('the window of a long list', () => {
  const tops = topsOf(10_000, (index) => (index % 2 === 0 ? 20 : 60));

  it('finds rows of different heights', () => {
    expect(tops.at(-1)).toBe(400_000);
    expect([0, 19, 20, 79, 80, 399_999, 500_000].map((height) => rowAt(tops, height))).toEqual([0, 0, 1, 1, 2, 9999, 9999]);
  });

  it('draws only what is seen and a few more', () => {
    const slice = sliceOf(tops, 200_000, 600, 5);
    expect(slice.end - slice.first).toBeLessThan(40);
    expect(slice.before).toBeLessThanOrEqual(200_000);
    expect(slice.before + slice.after).toBeLessThan(400_000);
    const drawn = (tops[slice.end] ?? 0) - (tops[slice.first] ?? 0);
    expect(slice.before + drawn + slice.after).toBe(400_000);
  });

  it('bears being scrolled beyond the ends, and nothing at all', () => {
    expect(sliceOf(tops, 900_000, 600, 2).end).toBe(10_000);
    expect(sliceOf(tops, -50, 600, 2).first).toBe(0);
    expect(sliceOf(topsOf(0, () => 20), 0, 600, 2)).toEqual({ first: 0, end: 0, before: 0, after: 0 });
    expect(sliceOf(topsOf(1, () => 20), 0, 600, 2)).toEqual({ first: 0, end: 1, before: 0, after: 0 });
  });
});

describe('records in words', () => {
  it('writes a line like the command does', () => {
    expect(recordText(record)).toMatch(/^unit-site-0: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO unit hello$/);
    expect(['ERROR', 'WARNING', 'INFO', 'DEBUG'].map(levelTone)).toEqual(['negative', 'caution', 'information', 'neutral']);
  });

  it('tells the date of a line of another day', () => {
    const now = record.time;
    expect(lineTime(now - 1, now)).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    expect(lineTime(now - 86_400_000_000, now)).toMatch(/^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
  });

  it('guesses more height for longer messages and narrower windows', () => {
    const long = { ...record, message: 'x'.repeat(400) };
    expect(guessedHeight(long, 1200)).toBeGreaterThan(guessedHeight(record, 1200));
    expect(guessedHeight(long, 360)).toBeGreaterThan(guessedHeight(long, 1200));
  });

  it('marks what was looked for', () => {
    expect(marked('Hook hooked', 'HOOK')).toEqual(['', 'Hook', ' ', 'hook', 'ed']);
    expect(marked('none', 'x')).toEqual(['none']);
    expect(marked('none', '')).toEqual(['none']);
    expect(marked('İİ', 'i')).toEqual(['İİ']);
  });
});
