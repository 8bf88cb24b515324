import { describe, expect, it } from 'vitest';

import { timeText } from '../time';
import type { HistoryEntry } from '../types';
import { lanesOf, rowsOf } from './segments';

const entry = (time: number, kind: string, status: string): HistoryEntry => ({
  id: time,
  time: timeText(time),
  kind,
  status,
  message: '',
});

const HISTORY = [
  entry(300, 'workload', 'active'),
  entry(100, 'workload', 'waiting'),
  entry(200, 'juju-unit', 'idle'),
];

describe('status history', () => {
  it('fills each lane from its first entry to now', () => {
    const lanes = lanesOf(HISTORY, 500);
    expect(lanes.map((lane) => lane.kind)).toEqual(['workload', 'juju-unit']);
    expect(lanes[0]?.segments.map(({ start, share, current }) => ({ start, share, current }))).toEqual([
      { start: 0, share: 0.5, current: false },
      { start: 0.5, share: 0.5, current: true },
    ]);
    expect(lanes[1]?.segments.map(({ start, share }) => [start, share])).toEqual([[0.25, 0.75]]);
  });

  it('lists the newest first, with how long each held', () => {
    expect(rowsOf(HISTORY).map(({ entry, held }) => [entry.status, held])).toEqual([
      ['active', null],
      ['idle', null],
      ['waiting', 200],
    ]);
  });

  it('bears an empty history and entries from the future', () => {
    expect(lanesOf([], 500)).toEqual([]);
    const [lane] = lanesOf([entry(900, 'workload', 'active')], 500);
    expect(lane?.segments[0]?.share).toBe(0);
  });
});
