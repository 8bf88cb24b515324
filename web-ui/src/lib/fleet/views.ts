/** Views of the tables that somebody gave a name. They are kept in this browser; their links work in any. */
import { type FleetView, viewQuery } from "./address";

export interface SavedView {
  name: string;
  /** What stands behind the address of a model. */
  query: string;
}

const KEY = "periapt-views";
const MOST = 50;

const URGENT = ["error", "lost", "failed", "down", "provisioning error", "blocked"];

/** Those that everybody has. */
export const COMMON_VIEWS: SavedView[] = [
  { name: "Units in trouble", query: viewQuery({ tab: "units", statuses: URGENT }) },
  { name: "Recently changed", query: viewQuery({ tab: "units", sort: "-since" }) },
  { name: "Machines in trouble", query: viewQuery({ tab: "machines", statuses: URGENT }) },
];

type Store = Pick<Storage, "getItem" | "setItem">;

export function savedViews(store: Store): SavedView[] {
  try {
    const found: unknown = JSON.parse(store.getItem(KEY) ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.filter(
      (each): each is SavedView => typeof each?.name === "string" && typeof each?.query === "string",
    );
  } catch {
    return [];
  }
}

/** Gives a view a name; one that had the name gives way. Returns all that are kept. */
export function saveView(store: Store, name: string, view: FleetView): SavedView[] {
  const others = savedViews(store).filter((each) => each.name !== name);
  return keep(store, [...others, { name, query: viewQuery(view) }].slice(-MOST));
}

export const forgetView = (store: Store, name: string): SavedView[] =>
  keep(store, savedViews(store).filter((each) => each.name !== name));

function keep(store: Store, views: SavedView[]): SavedView[] {
  try {
    store.setItem(KEY, JSON.stringify(views));
  } catch {
    // Without storage they last until the page is left.
  }
  return views;
}
