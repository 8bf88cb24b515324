/** Lines of figures: paths, and what stands at one moment. Pure. */
import { linear, niceTicks, type Steps } from '../scale';
import { timeTicks } from '../time';
import type { Point, Series } from '../types';

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Figures {
  across: (time: number) => number;
  upwards: (value: number) => number;
  rows: number[];
  columns: { time: number; text: string }[];
  /** All moments that have a figure in any series, in order. */
  moments: number[];
}

/** Scales and ticks for all series together. */
export function figuresOf(
  series: Series[],
  frame: Frame,
  { floor, steps, from, to }: { floor: number; steps?: Steps | undefined; from?: number | undefined; to?: number | undefined },
): Figures {
  const points = series.flatMap((each) => each.points);
  const moments = [...new Set(points.map((point) => point.time))].sort((a, b) => a - b);
  const values = points.flatMap((point) => (point.value === null ? [] : [point.value]));
  const low = Math.min(floor, ...values);
  const high = Math.max(low, ...values);
  const rows = niceTicks(low, high > low ? high : low + 1, Math.max(2, Math.floor(frame.height / 60)), steps);
  const [begin, end] = [from ?? moments[0] ?? 0, to ?? moments.at(-1) ?? 0];
  return {
    across: linear(begin, end, frame.left, frame.width - frame.right),
    upwards: linear(rows[0] ?? 0, rows.at(-1) ?? 1, frame.height - frame.bottom, frame.top),
    rows,
    columns: timeTicks(begin, end, Math.max(2, Math.floor((frame.width - frame.left - frame.right) / 80))),
    moments,
  };
}

/** SVG path of a line, broken where a value is missing. */
export function linePath(points: Point[], x: (time: number) => number, y: (value: number) => number): string {
  let path = '';
  let drawing = false;
  for (const { time, value } of points) {
    if (value === null || !Number.isFinite(value)) {
      drawing = false;
      continue;
    }
    path += `${drawing ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = true;
  }
  return path;
}

/** Figures between two that are missing: a line through one point is none. */
export function lonePoints(points: Point[]): { time: number; value: number }[] {
  const drawn = (point: Point | undefined): boolean => point?.value != null && Number.isFinite(point.value);
  return points.flatMap(({ time, value }, place) =>
    value !== null && drawn(points[place]) && !drawn(points[place - 1]) && !drawn(points[place + 1]) ? [{ time, value }] : [],
  );
}

/** Index of the moment nearest to `time`; -1 of none. */
export function nearestMoment(moments: number[], time: number): number {
  let [low, high] = [0, moments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const [before, at] = [moments[low - 1], moments[low]];
  if (at === undefined) return -1;
  return before !== undefined && time - before < at - time ? low - 1 : low;
}

/** What a series says at exactly `time`. */
export function valueAt(points: Point[], time: number): number | null {
  return points.find((point) => point.time === time)?.value ?? null;
}

/** A figure with its thousands and at most three decimals. */
export function plainFigure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits }).replaceAll(',', '\u202f');
}
