import type { MouseEvent } from "react";
import type { Column } from "./DataTable";

interface Properties<R> {
  row: R;
  id: string;
  columns: readonly Column<R>[];
  marks: Record<string, string>;
  /** Among all rows, where not all are drawn. */
  place: number | undefined;
  measure: ((element: HTMLTableRowElement | null) => void) | undefined;
  /** The one row that Tab comes to. */
  tabbable: boolean;
  /** Undefined where nothing can be chosen. */
  chosen: boolean | undefined;
  open: boolean;
  onChoose: (id: string, range: boolean) => void;
  onOpen: ((id: string) => void) | undefined;
  onFocus: (id: string) => void;
}

/** What a click on a row is not for. */
const OWN = "a, button, input, label, select, summary";

export function DataRow<R>(properties: Properties<R>) {
  const { row, id, columns, marks, place, measure, tabbable, chosen, open, onChoose, onOpen, onFocus } = properties;
  const click = (event: MouseEvent<HTMLTableRowElement>): void => {
    if ((event.target as Element).closest(OWN)) return;
    // Whoever marks text with the mouse wants the text.
    if (globalThis.getSelection?.()?.isCollapsed === false) return;
    onOpen?.(id);
  };
  const look = [open && "is-open", chosen && "is-chosen"].filter(Boolean).join(" ");
  return (
    <tr
      {...marks}
      ref={measure}
      data-row={id}
      data-index={place}
      aria-rowindex={place === undefined ? undefined : place + 2}
      tabIndex={tabbable ? 0 : -1}
      className={look || undefined}
      onClick={onOpen && click}
      onFocus={() => onFocus(id)}
    >
      {chosen !== undefined && (
        <td className="table__choice">
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            checked={chosen}
            // The click knows whether Shift was held; the change that follows does not.
            onClick={(event) => onChoose(id, event.shiftKey)}
            onChange={() => {}}
          />
        </td>
      )}
      {columns.map(({ id: column, label, cell, className = "", minor }, first) => {
        const look = `${className} ${minor ? "is-minor" : ""}`.trim() || undefined;
        return first === 0 ? (
          <th key={column} scope="row" className={look}>
            {cell(row)}
            {onOpen && (
              <button type="button" className="table__open" aria-label={`Details of ${id}`} onClick={() => onOpen(id)}>
                <span aria-hidden="true">›</span>
              </button>
            )}
          </th>
        ) : (
          <td key={column} data-label={label} className={look}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
}
