/**
 * A table of any length: sorted by its heads, walked by the keyboard, rows chosen and opened.
 *
 * Of many rows only those in the window are drawn; the page scrolls, not the table. It holds no rows and
 * no choice of its own: what is shown, chosen and open is told by whoever uses it, and it says what was
 * asked for.
 */
import "./table.css";
import { measureElement, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useId, useLayoutEffect, useRef, useState } from "react";
import type { Key, Sort } from "../../lib/fleet/order";
import { type Chosen, toggledAll, toggledOne, withRange } from "../../lib/fleet/selection";
import { DataRow } from "./DataRow";
import { useRowKeys } from "./useRowKeys";

export interface Column<R> {
  id: string;
  label: string;
  cell: (row: R) => ReactNode;
  /** What it is sorted by; without them it is not. */
  keys?: (row: R) => readonly Key[];
  className?: string;
  /** Left out where there is little room. */
  minor?: boolean;
}

export interface Selection {
  chosen: Chosen;
  onChange: (chosen: Set<string>) => void;
  /** What a row is called: `unit`. */
  what: string;
}

export interface DataTableProperties<R> {
  label: string;
  /** The first names the row. */
  columns: readonly Column<R>[];
  rows: readonly R[];
  idOf: (row: R) => string;
  /** `data-` attributes of a row. */
  marks: (row: R) => Record<string, string>;
  sort: Sort;
  onSort: (column: string) => void;
  selection?: Selection | undefined;
  /** The row whose details are shown. */
  open?: string;
  onOpen?: (id: string) => void;
}

/** So many rows are drawn whole: they can be searched by the browser and read from end to end. */
const WHOLE = 60;
const SPARE = 10;
/** Of a row that was never drawn: a line, or a card where there is no room for columns. */
const ROW_HEIGHT = 38;
const CARD_HEIGHT = 100;
const isNarrow = (): boolean => globalThis.matchMedia?.("(max-width: 780px)").matches ?? false;
/** What sticks to the top of the window: the bar of the page and the table's heads. */
const ABOVE = 100;

export function DataTable<R>(properties: DataTableProperties<R>) {
  const { label, columns, rows, idOf, marks, sort, onSort, selection, open = "", onOpen } = properties;
  const table = useRef<HTMLTableElement>(null);
  const [margin, setMargin] = useState(0);
  const anchor = useRef("");
  const hint = useId();
  const virtual = rows.length > WHOLE;
  const idAt = useCallback(
    (place: number): string => {
      const row = rows[place];
      return row === undefined ? "" : idOf(row);
    },
    [rows, idOf],
  );
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    enabled: virtual,
    estimateSize: () => (isNarrow() ? CARD_HEIGHT : ROW_HEIGHT),
    // A row without a height, of a page that is not shown, would have room for all others.
    measureElement: (...measured) => measureElement(...measured) || ROW_HEIGHT,
    overscan: SPARE,
    scrollMargin: margin,
    scrollPaddingStart: ABOVE,
    scrollPaddingEnd: ROW_HEIGHT * 2,
    getItemKey: idAt,
    useFlushSync: false,
  });

  // Where the rows begin changes with whatever stands above them.
  useLayoutEffect(() => {
    const measure = (): void => {
      const body = table.current?.tBodies[0];
      if (body) setMargin(Math.round(body.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);

  const ids = (): string[] => rows.map(idOf);
  const choose = (id: string, range: boolean): void => {
    if (!selection) return;
    const { chosen, onChange } = selection;
    onChange(range && anchor.current ? withRange(chosen, ids(), anchor.current, id) : toggledOne(chosen, id));
    anchor.current = id;
  };
  const keys = useRowKeys({
    table,
    count: rows.length,
    idAt,
    placeOf: (id) => rows.findIndex((row) => idOf(row) === id),
    reveal: (place) => virtual && virtualizer.scrollToIndex(place),
    onChoose: selection ? choose : undefined,
    onChooseAll: selection ? () => selection.onChange(new Set(ids())) : undefined,
    onOpen,
    open,
  });

  const width = columns.length + (selection ? 1 : 0);
  const items = virtual
    ? virtualizer.getVirtualItems().map(({ index, start, end }) => ({ index, start: start - margin, end: end - margin }))
    : rows.map((_, index) => ({ index, start: 0, end: 0 }));
  const last = items.at(-1);
  const after = virtual && last ? virtualizer.getTotalSize() - last.end : 0;
  const all = selection !== undefined && rows.length > 0 && rows.every((row) => selection.chosen.has(idOf(row)));
  return (
    <>
      <p id={hint} className="u-off-screen">
        Arrow keys move between rows{onOpen && ", Enter opens details"}{selection && ", Space selects"}.
      </p>
      <table
        ref={table}
        className={`list table ${onOpen ? "has-details" : ""}`}
        aria-label={label}
        aria-describedby={hint}
        aria-rowcount={virtual ? rows.length + 1 : undefined}
      >
        <thead>
          <tr aria-rowindex={virtual ? 1 : undefined}>
            {selection && (
              <th scope="col" className="table__choice">
                <input
                  type="checkbox"
                  aria-label={`Select all ${rows.length} ${selection.what}s`}
                  checked={all}
                  ref={(box) => {
                    if (box) box.indeterminate = !all && selection.chosen.size > 0;
                  }}
                  onChange={() => selection.onChange(toggledAll(selection.chosen, ids()))}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={keys.onKeyDown}>
          {items.map(({ index, start }, place) => {
            const row = rows[index];
            if (row === undefined) return null;
            const id = idOf(row);
            const gap = virtual ? start - (items[place - 1]?.end ?? 0) : 0;
            return [
              gap > 0 && <Gap key={`gap ${index}`} height={gap} width={width} />,
              <DataRow
                key={id}
                row={row}
                id={id}
                columns={columns}
                marks={marks(row)}
                place={virtual ? index : undefined}
                measure={virtual ? virtualizer.measureElement : undefined}
                tabbable={keys.isStop(id, index)}
                chosen={selection?.chosen.has(id)}
                open={open === id}
                onChoose={choose}
                onOpen={onOpen}
                onFocus={keys.onFocus}
              />,
            ];
          })}
          {after > 0 && <Gap height={after} width={width} />}
        </tbody>
      </table>
    </>
  );
}

/** Stands for rows that are not drawn. */
function Gap({ height, width }: { height: number; width: number }) {
  return (
    <tr className="table__gap" aria-hidden="true" style={{ height }}>
      <td colSpan={width} />
    </tr>
  );
}

function Head<R>({ column, sort, onSort }: { column: Column<R>; sort: Sort; onSort: (column: string) => void }) {
  const { id, label, keys, className = "", minor } = column;
  const sorted = sort.column === id;
  const look = `${className} ${minor ? "is-minor" : ""}`.trim();
  return (
    <th
      scope="col"
      className={look || undefined}
      aria-sort={sorted ? (sort.descending ? "descending" : "ascending") : undefined}
    >
      {keys ? (
        <button type="button" className="table__sort" onClick={() => onSort(id)}>
          {label}
          <span aria-hidden="true">{sorted ? (sort.descending ? " ↓" : " ↑") : ""}</span>
        </button>
      ) : (
        label
      )}
    </th>
  );
}
