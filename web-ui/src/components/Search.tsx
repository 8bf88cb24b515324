/**
 * `/` or Ctrl+K anywhere: a field that finds models, applications, units, machines, charms and pages, and does what
 * begins with a verb.
 */
import { useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { StatusMark } from "./charts";
import { thingOf } from "../lib/recents";
import { find } from "../lib/search";
import { isSlash } from "../lib/typing";
import { useRecents } from "../lib/useRecents";
import { useTargets } from "../lib/useTargets";
import { useThings } from "../lib/useThings";
import { type Act, acts, named, typedFor } from "../lib/verbs";
import { Doing } from "./palette/Doing";

/** A row of the list: somewhere to go, or something to do. */
interface Row {
  kind: string;
  name: string;
  where: string;
  to?: string;
  status?: string | undefined;
  act?: Act;
}

export function Search({ model }: { model: string | null }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  /** What had the focus before a key brought it here; it goes back there. */
  const before = useRef<HTMLElement | null>(null);
  const navigate = useNavigate();
  const id = useId();
  const { pathname } = useLocation();
  const { targets, known } = useTargets(model, open);
  const recents = useRecents(pathname, targets, known);
  const things = useThings(model);
  const [doing, setDoing] = useState<Act | null>(null);
  const stopDoing = useCallback(() => setDoing(null), []);
  const found = useMemo((): Row[] => {
    if (!open) return [];
    const offered = things ? acts(typed, things) : [];
    const verbs = offered.map((act): Row => ({ kind: "do", name: named(act), where: act.hint, act }));
    // Verbs come first where something is typed; else they would stand before what needs attention.
    if (typed.trim() !== "") return [...verbs, ...find(targets, typed)];
    const elsewhere = recents.filter((path) => path !== thingOf(pathname));
    return [...find(targets, typed, undefined, elsewhere), ...verbs];
  }, [open, things, targets, typed, recents, pathname]);

  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      const palette = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (palette ? document.querySelector("dialog[open]") : !isSlash(event)) return;
      event.preventDefault();
      if (at !== field.current) before.current = at;
      field.current?.focus();
    };
    document.addEventListener("keydown", slash);
    return () => document.removeEventListener("keydown", slash);
  }, []);

  const close = (): void => {
    setOpen(false);
    setTyped("");
    setPlace(0);
    const back = before.current;
    field.current?.blur();
    if (back?.isConnected) back.focus({ preventScroll: true });
  };
  const go = (row: Row | undefined): void => {
    if (!row) return;
    if (row.act && !row.act.whole) {
      setTyped(typedFor(row.act));
      setPlace(0);
      return;
    }
    close();
    if (row.act) setDoing(row.act);
    else if (row.to) void navigate(row.to);
  };
  // Where there is nothing to complete, Tab goes on to what is next on the page.
  const completes = (row: Row | undefined): boolean =>
    typed !== "" && row?.act !== undefined && typedFor(row.act) !== typed;
  const complete = (row: Row | undefined): void => {
    if (!row?.act) return;
    setTyped(typedFor(row.act));
    setPlace(0);
  };
  const key = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown") setPlace((place + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setPlace((place - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") go(found[place]);
    else if (event.key === "Tab" && !event.shiftKey && completes(found[place])) complete(found[place]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  };

  const chosen = found[place];
  useEffect(() => {
    if (open) document.getElementById(`${id}-${place}`)?.scrollIntoView?.({ block: "nearest" });
  }, [open, id, place]);
  return (
    <>
      <div className="search" role="search">
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Search everything"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={chosen ? `${id}-${place}` : undefined}
          placeholder={things ? "Search or run a command" : "Search everything"}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            before.current = null;
          }}
          onChange={(event) => {
            setTyped(event.target.value);
            setPlace(0);
            setOpen(true);
          }}
          onKeyDown={key}
        />
        <kbd aria-hidden="true">/</kbd>
        <ul
          id={`${id}-list`}
          role="listbox"
          aria-label="Found"
          className="search__list"
          hidden={!open}
        >
          {found.map((target, index) => (
            <li
              key={`${target.kind} ${target.to ?? target.name}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === place}
              onMouseDown={(event) => {
                event.preventDefault();
                go(target);
              }}
              onMouseEnter={() => setPlace(index)}
            >
              <span className="search__kind">{target.kind}</span>
              <span className="search__name">{target.name}</span>
              {target.status && <StatusMark status={target.status} />}
              <span className="search__where">{target.where}</span>
            </li>
          ))}
          {open && found.length === 0 && (
            <li role="option" aria-selected="false" aria-disabled="true" className="search__none">
              No matching name
            </li>
          )}
        </ul>
      </div>
      {doing && model !== null && <Doing model={model} act={doing} onClose={stopDoing} />}
    </>
  );
}
