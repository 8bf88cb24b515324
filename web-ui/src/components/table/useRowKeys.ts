/** Walking a table by the keyboard: one row at a time has the focus, and Tab comes to that one. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";

interface Options {
  table: RefObject<HTMLTableElement | null>;
  count: number;
  idAt: (place: number) => string;
  placeOf: (id: string) => number;
  /** Has the row drawn where it can be seen. */
  reveal: (place: number) => void;
  onChoose: ((id: string, range: boolean) => void) | undefined;
  onChooseAll: (() => void) | undefined;
  onOpen: ((id: string) => void) | undefined;
  /** While details are shown they follow the focus. */
  open: string;
}

/** A page of rows. */
const PAGE = 15;

const STEPS: Record<string, (place: number, count: number) => number> = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place) => place + PAGE,
  PageUp: (place) => place - PAGE,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function rowElement(table: HTMLTableElement | null, id: string): HTMLElement | undefined {
  return [...(table?.tBodies[0]?.rows ?? [])].find((row) => row.dataset["row"] === id);
}

export function useRowKeys(options: Options) {
  const { table, count, idAt, placeOf, reveal, onChoose, onChooseAll, onOpen, open } = options;
  const [current, setCurrent] = useState("");
  /** The row that is to have the focus once it is drawn. */
  const wanted = useRef("");

  // A row far away is drawn some time after it was asked for.
  useLayoutEffect(() => {
    if (wanted.current === "") return;
    const row = rowElement(table.current, wanted.current);
    if (!row) return;
    wanted.current = "";
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  });

  const go = (place: number): void => {
    const id = idAt(Math.max(0, Math.min(count - 1, place)));
    if (id === "") return;
    wanted.current = id;
    setCurrent(id);
    reveal(placeOf(id));
    const row = rowElement(table.current, id);
    if (row) {
      wanted.current = "";
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest" });
    }
    if (open !== "" && open !== id) onOpen?.(id);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = event.target as HTMLElement;
    const row = at.closest<HTMLElement>("tr[data-row]");
    const id = row?.dataset["row"];
    if (id === undefined || event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    const step = STEPS[event.key];
    if (step && !command) go(step(placeOf(id), count));
    else if (event.key === "a" && command && onChooseAll) onChooseAll();
    // What stands in a row has its own use of these.
    else if (at !== row || command) return;
    else if (event.key === " " && onChoose) onChoose(id, event.shiftKey);
    else if (event.key === "Enter" && onOpen) onOpen(id);
    else return;
    event.preventDefault();
  };

  const known = current !== "" && placeOf(current) >= 0;
  return {
    onKeyDown,
    onFocus: (id: string): void => setCurrent(id),
    isStop: (id: string, place: number): boolean => (known ? id === current : place === 0),
  };
}
