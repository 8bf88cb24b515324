/** Which rows are chosen. Pure. */

export type Chosen = ReadonlySet<string>;

/** One row more or less. */
export function toggledOne(chosen: Chosen, id: string): Set<string> {
  const changed = new Set(chosen);
  if (!changed.delete(id)) changed.add(id);
  return changed;
}

/** All rows between two, both among them, as they are shown; other rows stay as they are. */
export function withRange(chosen: Chosen, shown: readonly string[], from: string, to: string): Set<string> {
  const [one, other] = [shown.indexOf(from), shown.indexOf(to)];
  const changed = new Set(chosen);
  if (other < 0) return changed;
  const [first, last] = one < 0 ? [other, other] : [Math.min(one, other), Math.max(one, other)];
  for (const id of shown.slice(first, last + 1)) changed.add(id);
  return changed;
}

/** All that are shown, or none when all of them are chosen. */
export const toggledAll = (chosen: Chosen, shown: readonly string[]): Set<string> =>
  shown.every((id) => chosen.has(id)) ? new Set() : new Set(shown);
