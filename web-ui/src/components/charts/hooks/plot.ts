/** Where the hooks stand in the chart, and what they add up to. Pure. */
import { decades, linear, logarithmic, quantile } from '../scale';
import { clockTime, durationText, micros, timeTicks } from '../time';
import type { HookRun } from '../types';

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Order = 'time' | 'sequence';

export interface Spot {
  run: HookRun;
  x: number;
  y: number;
}

export interface Plot {
  /** Oldest first. */
  spots: Spot[];
  columns: { x: number; text: string }[];
  rows: { y: number; text: string }[];
}

export function oldestFirst(runs: HookRun[]): HookRun[] {
  return [...runs].sort((a, b) => micros(a['started-at']) - micros(b['started-at']) || a.id - b.id);
}

/** Duration upwards in decades; along, when each began or one after the other. */
export function plotOf(runs: HookRun[], frame: Frame, order: Order): Plot {
  const sorted = oldestFirst(runs);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const [start, end] = [frame.left + 8, frame.width - frame.right - 8];
  const [low, high] = decades(sorted.map((run) => run.duration));
  const upwards = logarithmic(low, high, frame.height - frame.bottom, frame.top);
  const [from, to] = [micros(first?.['started-at'] ?? 0), micros(last?.['started-at'] ?? 0)];
  const byTime = linear(from, to, start, end);
  const bySequence = linear(0, sorted.length - 1, start, end);
  const rows = [];
  for (let decade = low; decade <= high * 1.001; decade *= 10) {
    rows.push({ y: upwards(decade), text: wholeDuration(decade) });
  }
  const fits = Math.max(2, Math.floor((end - start) / 80));
  const columns =
    order === 'time'
      ? timeTicks(from, to, fits).map(({ time, text }) => ({ x: byTime(time), text }))
      : sequenceTicks(sorted.length, fits).map((index) => ({ x: bySequence(index), text: `#${index + 1}` }));
  return {
    spots: sorted.map((run, index) => ({
      run,
      x: order === 'time' ? byTime(micros(run['started-at'])) : bySequence(index),
      y: upwards(run.duration),
    })),
    columns,
    rows,
  };
}

/** When the first and the last began: what an axis tells where no round time is on it. */
export function endsOf(spots: Spot[]): { x: number; text: string }[] {
  const ends = [spots[0], spots.at(-1)].flatMap((spot) => (spot ? [{ x: spot.x, text: clockTime(spot.run['started-at']) }] : []));
  return ends.filter(({ text }, place) => ends.findIndex((each) => each.text === text) === place);
}

function sequenceTicks(count: number, fits: number): number[] {
  const step = Math.max(1, Math.ceil(count / fits));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

/** `10 ms` for a round duration. */
function wholeDuration(duration: number): string {
  return durationText(duration).replace(/\.0+ /, ' ');
}

/** The spot nearest to a place, when one is within `reach`. */
export function spotAt(spots: Spot[], x: number, y: number, reach = 24): Spot | undefined {
  let nearest: Spot | undefined;
  let distance = reach * reach;
  for (const spot of spots) {
    const away = (spot.x - x) ** 2 + (spot.y - y) ** 2;
    if (away <= distance) [nearest, distance] = [spot, away];
  }
  return nearest;
}

export interface Summary {
  count: number;
  failed: number;
  p50: number;
  p99: number;
}

export function summaryOf(runs: HookRun[]): Summary {
  const durations = runs.map((run) => run.duration);
  return {
    count: runs.length,
    failed: runs.filter(isFailed).length,
    p50: quantile(durations, 0.5),
    p99: quantile(durations, 0.99),
  };
}

export function isFailed(run: HookRun): boolean {
  return run.result !== 'ok';
}

/** `120 hooks, half within 3.20 ms, 99 % within 41.0 ms, 2 failed`. */
export function summaryText({ count, failed, p50, p99 }: Summary): string {
  if (count === 0) return 'no hooks';
  const hooks = `${count} ${count === 1 ? 'hook' : 'hooks'}`;
  return `${hooks}, p50 ${durationText(p50)}, p99 ${durationText(p99)}, ${failed === 0 ? 'none' : failed} failed`;
}
