import { type FormEvent, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import { CopyButton } from "../../../components/CopyButton";
import { type FleetView, viewOf, viewQuery } from "../../../lib/fleet/address";
import { COMMON_VIEWS, forgetView, type SavedView, savedViews, saveView } from "../../../lib/fleet/views";

/** Where no storage is allowed nothing is kept. */
const NOWHERE = { getItem: () => null, setItem: () => {} };

function store(): Pick<Storage, "getItem" | "setItem"> {
  try {
    return localStorage;
  } catch {
    return NOWHERE;
  }
}

interface Properties {
  view: FleetView;
  onChoose: (view: FleetView) => void;
}

/** Views with a name: each is a link, so it opens in another tab and can be sent. */
export function SavedViews({ view, onChoose }: Properties) {
  const { pathname } = useLocation();
  const [own, setOwn] = useState(() => savedViews(store()));
  const [name, setName] = useState("");
  const menu = useRef<HTMLDetailsElement>(null);
  const query = viewQuery(view);
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = name.trim();
    if (chosen === "") return;
    setOwn(saveView(store(), chosen, view));
    setName("");
  };
  const link = (saved: SavedView) => (
    <Link
      to={`${pathname}${saved.query}`}
      aria-current={saved.query === query || undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onChoose(viewOf(new URLSearchParams(saved.query)));
        close();
      }}
    >
      {saved.name}
    </Link>
  );
  return (
    <details
      ref={menu}
      className="views"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.stopPropagation();
        close();
        menu.current.querySelector("summary")?.focus();
      }}
    >
      <summary className="p-button is-small">Views</summary>
      <div className="views__body">
        <ul aria-label="Views">
          {COMMON_VIEWS.map((saved) => (
            <li key={saved.name}>{link(saved)}</li>
          ))}
          {own.map((saved) => (
            <li key={`own ${saved.name}`} data-view={saved.name}>
              {link(saved)}
              <button
                type="button"
                className="icon-button"
                aria-label={`Forget view ${saved.name}`}
                onClick={() => {
                  setOwn(forgetView(store(), saved.name));
                  // The button that was pressed is gone.
                  menu.current?.querySelector("summary")?.focus();
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
        <form onSubmit={save}>
          <label>
            Save this view as
            <input type="text" value={name} maxLength={60} autoComplete="off" onChange={(event) => setName(event.target.value)} />
          </label>
          <div className="actions">
            <button type="submit" className="p-button is-small" disabled={name.trim() === ""}>
              Save view
            </button>
            <CopyButton text={`${location.origin}${pathname}${query}`} label="Copy link" />
          </div>
          <p className="p-form-help-text">Saved in this browser. Its link shows the same view to others.</p>
        </form>
      </div>
    </details>
  );
}
