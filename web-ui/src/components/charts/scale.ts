/** Scales of axes. Pure. */

/** A line from `from..to` onto `start..end`; a span of nothing lands in the middle. */
export function linear(from: number, to: number, start: number, end: number): (value: number) => number {
  if (to === from) return () => (start + end) / 2;
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/** The same over decades; what is below `from` lands on `start`. */
export function logarithmic(from: number, to: number, start: number, end: number): (value: number) => number {
  const line = linear(Math.log10(from), Math.log10(to), start, end);
  return (value) => line(Math.log10(Math.max(from, value)));
}

/** Whole decades around all values: `[100, 100000]` for 250 and 80000. */
export function decades(values: number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.ceil(Math.log10(Math.max(...positive)));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

/** Which steps are round: of figures, of things that are counted one by one, of bytes. */
export type Steps = 'decimal' | 'whole' | 'binary';

function niceStep(rough: number, steps: Steps): number {
  if (steps === 'binary') return 2 ** Math.max(0, Math.ceil(Math.log2(rough)));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 10 * power;
  return steps === 'whole' ? Math.ceil(step) : step;
}

/** Round values from `from` to at least `to`, about `count` steps: 0, 25, 50, 75, 100. */
export function niceTicks(from: number, to: number, count: number, steps: Steps = 'decimal'): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const step = niceStep(span / Math.max(1, count), steps);
  const first = Math.floor(from / step) * step;
  const ticks = [];
  // The step is added up as a product: sums of 0.1 drift.
  for (let index = 0; ; index += 1) {
    const tick = Number((first + index * step).toPrecision(12));
    ticks.push(tick);
    if (tick >= to) return ticks;
  }
}

/** The nearest-rank quantile, as `p99` is commonly read; NaN of nothing. */
export function quantile(values: number[], share: number): number {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

/** Width of a character of an axis, in pixels; the digits are all as wide. */
const CHARACTER = 7;

/** How much room a text of an axis takes. */
export function axisTextWidth(text: string): number {
  return text.length * CHARACTER;
}

/** Where the middle of a text stands so that none of it is cut off at either end. */
export function withinAxis(x: number, text: string, width: number): number {
  const half = axisTextWidth(text) / 2;
  return Math.max(half, Math.min(width - half, x));
}

/** The texts of a time axis that leave room for its zone, which stands at the left end. */
export function besideZone<T extends { x: number; text: string }>(ticks: readonly T[], zone: string, width: number): T[] {
  const from = zone === '' ? 0 : axisTextWidth(zone) + CHARACTER;
  return ticks.filter(({ x, text }) => withinAxis(x, text, width) - axisTextWidth(text) / 2 >= from);
}
