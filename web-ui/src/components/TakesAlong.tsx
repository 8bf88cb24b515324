import { natural } from "../lib/attention";

/** So many names are written out; the rest is counted. */
const MOST = 12;

interface Properties {
  names: readonly string[];
  one: string;
  many: string;
  /** Said after the names. */
  more?: string;
  /** Said when there are none; without it nothing is. */
  none?: string;
}

/** A line of a removal: which things of one kind go along. */
export function TakesAlong({ names, one, many, more, none }: Properties) {
  if (names.length === 0) return none ? <li>{none}</li> : null;
  const sorted = names.toSorted(natural);
  const left = sorted.length - MOST;
  return (
    <li>
      {names.length === 1 ? one : many} <strong>{sorted.slice(0, MOST).join(", ")}</strong>
      {left > 0 && ` and ${left} more`}
      {more && ` ${more}`}
    </li>
  );
}
