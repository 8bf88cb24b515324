import { describe, expect, it } from 'vitest';

import { clockTime, timeText } from '../time';
import type { HookRun } from '../types';
import { hookName } from './names';
import { endsOf, plotOf, spotAt, summaryOf, summaryText } from './plot';

function run(id: number, startedAt: number, duration: number, result = 'ok'): HookRun {
  return {
    id,
    unit: 'site/0',
    application: 'site',
    hook: 'config-changed',
    charm: 'local:site-0',
    'started-at': timeText(startedAt),
    duration,
    result,
    code: result === 'ok' ? '' : 'trap',
    message: '',
    effects: [],
  };
}

const FRAME = { width: 600, height: 200, left: 60, right: 10, top: 10, bottom: 30 };
const T = 1_800_000_000_000_000;

describe('hook chart', () => {
  it('draws later to the right and longer higher up, within the frame', () => {
    const { spots, rows } = plotOf([run(2, T + 60e6, 90_000), run(1, T, 400)], FRAME, 'time');
    expect(spots.map((spot) => spot.run.id)).toEqual([1, 2]);
    const [a, b] = spots;
    expect(a && b && a.x < b.x && a.y > b.y).toBe(true);
    for (const { x, y } of spots) {
      expect(x).toBeGreaterThanOrEqual(60);
      expect(x).toBeLessThanOrEqual(590);
      expect(y).toBeGreaterThanOrEqual(10);
      expect(y).toBeLessThanOrEqual(170);
    }
    expect(rows.map((row) => row.text)).toEqual(['100 µs', '1 ms', '10 ms', '100 ms']);
  });

  it('spreads a burst when drawn in sequence', () => {
    const burst = Array.from({ length: 5 }, (_, index) => run(index, T + index, 1000));
    const far = run(9, T + 3600e6, 1000);
    const { spots, columns } = plotOf([...burst, far], FRAME, 'sequence');
    const steps = spots.slice(1).map((spot, index) => Math.round(spot.x - (spots[index]?.x ?? 0)));
    expect(new Set(steps).size).toBe(1);
    expect(columns[0]?.text).toBe('#1');
  });

  it('tells the first and the last time where no round one is between them', () => {
    const { spots, columns } = plotOf([run(1, T + 1e5, 400), run(2, T + 9e5, 400), run(3, T + 9.5e5, 400)], FRAME, 'time');
    expect(columns).toEqual([]);
    expect(endsOf(spots).map(({ text }) => text)).toEqual([clockTime(T)]);
    expect(endsOf(plotOf([run(1, T, 1), run(2, T + 2e6, 1)], FRAME, 'time').spots)).toHaveLength(2);
    expect(endsOf([])).toEqual([]);
  });

  it('finds the spot under the pointer', () => {
    const { spots } = plotOf([run(1, T, 400), run(2, T + 60e6, 90_000)], FRAME, 'time');
    expect(spotAt(spots, (spots[1]?.x ?? 0) - 5, spots[1]?.y ?? 0)?.run.id).toBe(2);
    expect(spotAt(spots, 300, 5)).toBeUndefined();
  });

  it('adds up', () => {
    const runs = [run(1, T, 1000), run(2, T, 2000), run(3, T, 50_000, 'failed')];
    expect(summaryOf(runs)).toEqual({ count: 3, failed: 1, p50: 2000, p99: 50_000 });
    expect(summaryText(summaryOf(runs))).toBe('3 hooks, p50 2.00 ms, p99 50.0 ms, 1 failed');
    expect(summaryText(summaryOf([]))).toBe('no hooks');
    expect(plotOf([], FRAME, 'time').spots).toEqual([]);
    expect(plotOf([run(1, T, 0)], FRAME, 'time').spots[0]?.y).toBe(170);
  });

  it('calls actions and commands by words', () => {
    expect(['actions/rebuild', 'commands/list', 'start', 'website-relation-joined', 'actions/'].map(hookName)).toEqual([
      'action rebuild',
      'command list',
      'start',
      'website-relation-joined',
      'actions/',
    ]);
  });
});
