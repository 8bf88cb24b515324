import { describe, expect, it } from 'vitest';

import { clockTime, durationText, machineTime, micros, relativeTime, roughDuration, timeText, timeTicks, zonedTime } from './time';

const SECOND = 1_000_000;
const NOON = Date.UTC(2026, 10, 21, 12) * 1000;

describe('times in words', () => {
  it('tells how long ago', () => {
    expect(relativeTime(NOON - SECOND, NOON)).toBe('now');
    expect(relativeTime(NOON - 40 * SECOND, NOON)).toBe('40 s ago');
    expect(relativeTime(NOON - 3 * 60 * SECOND, NOON)).toBe('3 min ago');
    expect(relativeTime(NOON + 90 * SECOND, NOON)).toBe('in 1 min');
    expect(roughDuration(47 * 3600 * SECOND)).toBe('47 h');
    expect(roughDuration(49 * 3600 * SECOND)).toBe('2 d');
    expect(machineTime(NOON)).toBe('2026-11-21T12:00:00.000Z');
  });

  it('names the zone of a time', () => {
    const offset = -new Date(NOON / 1000).getTimezoneOffset();
    expect(zonedTime(NOON)).toMatch(offset === 0 ? /^2026-11-21 12:00:00 UTC$/ : /^2026-11-2\d \d\d:\d\d:00 UTC[+−]\d\d:\d\d$/);
  });

  it('writes durations with three figures', () => {
    expect([850, 12_340, 4_200_000, 125 * SECOND, 3600 * SECOND].map(durationText)).toEqual([
      '850 µs',
      '12.3 ms',
      '4.20 s',
      '2 min 5 s',
      '1 h',
    ]);
  });

  it('puts ticks on round times', () => {
    const ticks = timeTicks(NOON + 17 * SECOND, NOON + 3600 * SECOND, 6);
    expect(ticks.length).toBeGreaterThan(2);
    expect(ticks.length).toBeLessThanOrEqual(6);
    for (const { time, text } of ticks) {
      expect(time % (60 * SECOND)).toBe(0);
      expect(clockTime(time).startsWith(text)).toBe(true);
    }
    expect(timeTicks(NOON, NOON, 5)).toEqual([]);
  });

  it('reads and writes times as the API does, to the microsecond', () => {
    for (const time of [0, 1, 250_000, NOON, NOON + 123_456]) expect(micros(timeText(time))).toBe(time);
    expect(timeText(1)).toBe('1970-01-01T00:00:00.000001Z');
    expect(timeText(NOON)).toBe('2026-11-21T12:00:00Z');
    expect(micros('2026-11-21T13:00:00.5+01:00')).toBe(NOON + 500_000);
    expect(exactTime(timeText(NOON))).toBe(exactTime(NOON));
  });
});
