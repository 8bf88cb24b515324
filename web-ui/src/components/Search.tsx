/** `/` anywhere: a field that finds models, applications, units, machines, charms and pages. */
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { StatusMark } from "./charts";
import { find, type Target } from "../lib/search";
import { useTargets } from "../lib/useTargets";

export function Search({ model }: { model: string | null }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const id = useId();
  const targets = useTargets(model, open);
  const found = useMemo(() => (open ? find(targets, typed) : []), [open, targets, typed]);

  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable;
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", slash);
    return () => document.removeEventListener("keydown", slash);
  }, []);

  const close = (): void => {
    setOpen(false);
    setTyped("");
    setPlace(0);
    field.current?.blur();
  };
  const go = (target: Target | undefined): void => {
    if (!target) return;
    close();
    void navigate(target.to);
  };
  const key = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown") setPlace((place + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setPlace((place - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") go(found[place]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  };

  const chosen = found[place];
  return (
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
        placeholder="Search everything"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
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
            key={`${target.kind} ${target.to}`}
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
  );
}
