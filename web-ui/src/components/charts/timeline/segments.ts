/** Status history as segments of a line, one lane for each kind. Pure. */
import { micros } from '../time';
import type { HistoryEntry } from '../types';

export interface Segment {
  entry: HistoryEntry;
  from: number;
  to: number;
  /** Share of the whole line, 0 to 1. */
  start: number;
  share: number;
  /** The last of its lane: it still holds. */
  current: boolean;
}

export interface Lane {
  kind: string;
  segments: Segment[];
}

export interface Row {
  entry: HistoryEntry;
  /** How long it held; none for what holds still. */
  held: number | null;
}

const NAMES: Record<string, string> = {
  workload: 'Workload',
  'juju-unit': 'Agent',
  application: 'Application',
  machine: 'Instance',
  'juju-machine': 'Machine agent',
  model: 'Model',
};

/** What a kind is called on the page. */
export function kindName(kind: string): string {
  return NAMES[kind] ?? kind;
}

function byKind(entries: HistoryEntry[]): Map<string, HistoryEntry[]> {
  const kinds = new Map<string, HistoryEntry[]>();
  for (const entry of entries) kinds.set(entry.kind, [...(kinds.get(entry.kind) ?? []), entry]);
  for (const [kind, list] of kinds) kinds.set(kind, list.sort((a, b) => micros(a.time) - micros(b.time)));
  return kinds;
}

/** Lanes from the first entry of all until `now`. */
export function lanesOf(entries: HistoryEntry[], now: number): Lane[] {
  const start = entries.reduce((least, entry) => Math.min(least, micros(entry.time)), now);
  const span = Math.max(1, now - start);
  return [...byKind(entries)].map(([kind, list]) => ({
    kind,
    segments: list.map((entry, index) => {
      const from = micros(entry.time);
      const to = Math.max(from, micros(list[index + 1]?.time ?? now));
      return {
        entry,
        from,
        to,
        start: (from - start) / span,
        share: (to - from) / span,
        current: index === list.length - 1,
      };
    }),
  }));
}

/** Newest first, each with how long it held. */
export function rowsOf(entries: HistoryEntry[]): Row[] {
  const held = new Map<HistoryEntry, number | null>();
  for (const list of byKind(entries).values()) {
    list.forEach((entry, index) => {
      const next = list[index + 1];
      held.set(entry, next ? micros(next.time) - micros(entry.time) : null);
    });
  }
  return [...entries]
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => micros(b.entry.time) - micros(a.entry.time) || a.index - b.index)
    .map(({ entry }) => ({ entry, held: held.get(entry) ?? null }));
}
