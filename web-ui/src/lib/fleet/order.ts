/** The order of rows in a table: by one column, quickly enough for thousands. Pure. */
import { micros } from "../../components/charts/time";
import { natural } from "../attention";

export type Key = string | number;

export interface Sort {
  column: string;
  descending: boolean;
}

/** As it stands in an address: `status`, `-since`. */
export const sortText = ({ column, descending }: Sort): string => (descending ? `-${column}` : column);

/** Nothing for a column that the table cannot be sorted by. */
export function sortOf(text: string, columns: readonly string[]): Sort | null {
  const descending = text.startsWith("-");
  const column = descending ? text.slice(1) : text;
  return columns.includes(column) ? { column, descending } : null;
}

/** Another column starts ascending; the same one is turned around. */
export const sortedBy = (now: Sort, column: string): Sort => ({
  column,
  descending: now.column === column && !now.descending,
});

/**
 * Rows by their keys, the first that differs decides; rows with equal keys stay as they are.
 *
 * Comparing words as people order them is slow, and a table of thousands is sorted on each change.
 * So the different words are ranked once, and rows are compared by numbers.
 */
export function ordered<R>(rows: readonly R[], keysOf: (row: R) => readonly Key[], descending = false): R[] {
  const keys = rows.map(keysOf);
  const width = keys.reduce((widest, each) => Math.max(widest, each.length), 0);
  const ranks: Float64Array[] = [];
  for (let place = 0; place < width; place += 1) ranks.push(ranked(keys.map((each) => each[place] ?? "")));
  const places = rows.map((_, place) => place);
  const sign = descending ? -1 : 1;
  places.sort((a, b) => {
    for (const rank of ranks) {
      const difference = (rank[a] ?? 0) - (rank[b] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return a - b;
  });
  return places.map((place) => rows[place] as R);
}

/** Numbers count as they are; words by their place among all words, after every number. */
function ranked(values: readonly Key[]): Float64Array {
  const words = [...new Set(values.filter((value) => typeof value === "string"))].sort(natural);
  const places = new Map(words.map((word, place) => [word, place]));
  const most = values.reduce<number>((most, value) => (typeof value === "number" ? Math.max(most, value) : most), 0);
  return Float64Array.from(values, (value) =>
    typeof value === "number" ? value : most + 1 + (places.get(value) ?? 0),
  );
}

/** A time, which as a word would stand wrong: fractions of a second have as many digits as they need. */
export const timeKey = (time: string | null | undefined): number => (time ? micros(time) || 0 : 0);

/** `site/10` after `site/9`, and after everything of `blog`. */
export function unitKeys(name: string): Key[] {
  const slash = name.lastIndexOf("/");
  return [name.slice(0, slash), Number(name.slice(slash + 1))];
}
