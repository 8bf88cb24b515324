/**
 * What the event stream has told so far, as tables by model and kind.
 *
 * Readers get arrays that stay the same object until something in them changes, so a page draws
 * only what changed. Changes are told to readers together, at most once a frame: a thousand
 * changes a second do not draw a thousand times. A new snapshot is put aside until it is whole,
 * so nothing flickers and what was removed meanwhile is gone.
 */
import type { LiveEvent } from "../api/types";

type Table = Map<string, unknown>;
type Tables = Map<string, Table>;

const EMPTY: readonly never[] = [];

/** Kinds that are no part of a snapshot, and come without end: the last of them are kept. */
const PASSING = new Set(["alert", "hook", "operation"]);
const MOST_PASSING = 200;

const tableKey = (model: string, kind: string): string => `${model} ${kind}`;

export class LiveState {
  private tables: Tables = new Map();
  private staged: Tables | null = new Map();
  private arrays = new Map<string, readonly unknown[]>();
  private listeners = new Set<() => void>();
  private eventListeners = new Set<(event: LiveEvent) => void>();
  private scheduled = false;
  private whole = false;
  private readonly schedule: (flush: () => void) => void;

  constructor(schedule: (flush: () => void) => void = (flush) => void setTimeout(flush, 30)) {
    this.schedule = schedule;
  }

  /** Whether a whole snapshot has arrived. */
  get ready(): boolean {
    return this.whole;
  }

  /** Whether a snapshot has begun and is not whole. */
  get staging(): boolean {
    return this.staged !== null;
  }

  /** A snapshot begins: it will take the place of everything known. */
  begin(): void {
    this.staged = new Map();
  }

  snapshot(event: LiveEvent): void {
    put((this.staged ??= new Map()), event);
  }

  /** The snapshot is whole, or, after a resumed connection, everything missed has come. */
  current(): void {
    if (this.staged) {
      this.tables = this.staged;
      this.arrays.clear();
    }
    this.staged = null;
    this.whole = true;
    this.changed();
  }

  change(event: LiveEvent): void {
    if (this.staged) {
      // Changes may arrive before the snapshot is whole; they are later than it.
      put(this.staged, event);
    } else {
      put(this.tables, event);
      this.arrays.delete(tableKey(event.model, event.kind));
    }
    for (const listener of this.eventListeners) listener(event);
    this.changed();
  }

  /** Every entity of a kind; the same array until one of them changes. */
  table<T>(model: string, kind: string): readonly T[] {
    const key = tableKey(model, kind);
    let array = this.arrays.get(key);
    if (!array) {
      const table = this.tables.get(key);
      array = table && table.size > 0 ? [...table.values()] : EMPTY;
      this.arrays.set(key, array);
    }
    return array as readonly T[];
  }

  /** Every entity of a kind in all models. */
  everywhere<T>(kind: string): readonly T[] {
    const key = `* ${kind}`;
    let array = this.arrays.get(key);
    if (!array) {
      array = [...this.tables]
        .filter(([name]) => name.endsWith(` ${kind}`))
        .flatMap(([name, table]) =>
          [...table.values()].map((entity) => ({ model: name.slice(0, name.indexOf(" ")), entity })),
        );
      this.arrays.set(key, array);
    }
    return array as readonly T[];
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  onEvent(listener: (event: LiveEvent) => void): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }

  private changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.schedule(() => {
      this.scheduled = false;
      for (const key of this.arrays.keys()) if (key.startsWith("* ")) this.arrays.delete(key);
      for (const listener of this.listeners) listener();
    });
  }
}

function put(tables: Tables, event: LiveEvent): void {
  const key = tableKey(event.model, event.kind);
  let table = tables.get(key);
  if (!table) tables.set(key, (table = new Map()));
  if (event.entity === null || event.entity === undefined) {
    table.delete(event.key);
    return;
  }
  if (PASSING.has(event.kind)) {
    // Whatever was told last stands last.
    table.delete(event.key);
    const [oldest] = table.size >= MOST_PASSING ? table.keys() : [];
    if (oldest !== undefined) table.delete(oldest);
  }
  table.set(event.key, event.entity);
}
