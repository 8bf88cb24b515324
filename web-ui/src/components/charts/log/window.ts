/** Which rows of a long list are drawn. Pure. */

export interface Slice {
  /** First row drawn. */
  first: number;
  /** One past the last row drawn. */
  end: number;
  /** Pixels above and below them. */
  before: number;
  after: number;
}

/** Tops of all rows; the last entry is the height of them all. */
export function topsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  let top = 0;
  for (let index = 0; index < count; index += 1) {
    top += heightOf(index);
    tops[index + 1] = top;
  }
  return tops;
}

/** The row at a height: the last whose top is not below it. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Rows between `scrollTop` and the end of the viewport, and `spare` more on either side. */
export function sliceOf(tops: Float64Array, scrollTop: number, viewport: number, spare: number): Slice {
  const count = tops.length - 1;
  if (count <= 0) return { first: 0, end: 0, before: 0, after: 0 };
  const total = tops[count] ?? 0;
  // A list that became shorter may still be scrolled beyond its end.
  const from = Math.max(0, Math.min(scrollTop, total - viewport));
  const first = Math.max(0, rowAt(tops, from) - spare);
  const end = Math.min(count, rowAt(tops, from + viewport) + 1 + spare);
  return { first, end, before: tops[first] ?? 0, after: total - (tops[end] ?? 0) };
}
