/**
 * A range of time that pages of a model share, in their address as `from` and `to`: RFC 3339, either of them may be
 * missing. Times within the page are microseconds.
 */

export interface Range {
  from: number | null;
  to: number | null;
}

/** A time of the address or of the API; nothing of what is none. */
export function micros(text: string | null | undefined): number | null {
  if (!text) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time * 1000;
}

/** As the address and the API have it. */
export function moment(time: number): string {
  return new Date(Math.round(time / 1000)).toISOString();
}

/** The range of an address; one that ends before it begins is turned round. */
export function rangeOf(parameters: URLSearchParams): Range {
  const from = micros(parameters.get("from"));
  const to = micros(parameters.get("to"));
  return from !== null && to !== null && from > to ? { from: to, to: from } : { from, to };
}

/** The same address with another range. */
export function withRange(parameters: URLSearchParams, { from, to }: Range): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  changed.delete("from");
  changed.delete("to");
  if (from !== null) changed.set("from", moment(from));
  if (to !== null) changed.set("to", moment(to));
  return changed;
}

/** Only the range of an address, to be put behind another one: `?from=…&to=…`, or nothing. */
export function rangeSearch(parameters: URLSearchParams): string {
  const text = withRange(new URLSearchParams(), rangeOf(parameters)).toString();
  return text ? `?${text}` : "";
}

/** How many of the times fall into each of `count` equal parts of the range. */
export function buckets(times: readonly number[], from: number, to: number, count: number): number[] {
  const found = Array.from({ length: count }, () => 0);
  if (!(to > from)) return found;
  for (const time of times) {
    if (time < from || time > to) continue;
    const place = Math.min(count - 1, Math.floor(((time - from) / (to - from)) * count));
    found[place] = (found[place] ?? 0) + 1;
  }
  return found;
}

/** The range between two places on a line of this width that stands for another range. */
export function brushed(
  one: number,
  other: number,
  width: number,
  shown: { from: number; to: number },
): { from: number; to: number } {
  const at = (place: number): number => {
    const part = Math.min(1, Math.max(0, place / Math.max(1, width)));
    return shown.from + part * (shown.to - shown.from);
  };
  return { from: at(Math.min(one, other)), to: at(Math.max(one, other)) };
}

/** What a field for date and time takes, in the reader's time zone: `2026-11-27T14:30:05`. */
export function fieldOf(time: number | null): string {
  if (time === null) return "";
  const date = new Date(time / 1000);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The time of such a field. */
export function timeOf(field: string): number | null {
  return micros(field);
}
