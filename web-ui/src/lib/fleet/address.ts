/** What of a model's tables is shown, as it stands in the address. Pure. */

export const FLEET_TABS = ["applications", "units", "machines"] as const;

export type FleetTab = (typeof FLEET_TABS)[number];

/** What an address may say of the tables. */
export const FLEET_PARAMETERS = ["tab", "q", "status", "sort", "open"] as const;

export interface FleetView {
  tab: FleetTab;
  /** Found in a name, a status or a message. */
  text: string;
  /** Any of these; all when there is none. */
  statuses: string[];
  /** `name`, `-since`. */
  sort: string;
  /** The row whose details are shown. */
  open: string;
}

export function viewOf(parameters: URLSearchParams): FleetView {
  const tab = FLEET_TABS.find((each) => each === parameters.get("tab")) ?? "applications";
  return {
    tab,
    text: parameters.get("q") ?? "",
    statuses: statusesOf(parameters.get("status") ?? ""),
    sort: parameters.get("sort") ?? "name",
    open: parameters.get("open") ?? "",
  };
}

const statusesOf = (text: string): string[] => [...new Set(text.split(",").map((each) => each.trim()).filter(Boolean))];

/** What is as it is at first is left out. Other parameters stay. */
export function withView(parameters: URLSearchParams, view: FleetView): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  const said: Record<(typeof FLEET_PARAMETERS)[number], string> = {
    tab: view.tab === "applications" ? "" : view.tab,
    q: view.text,
    status: view.statuses.join(","),
    sort: view.sort === "name" ? "" : view.sort,
    open: view.open,
  };
  for (const name of FLEET_PARAMETERS) {
    if (said[name]) changed.set(name, said[name]);
    else changed.delete(name);
  }
  return changed;
}

/** The address of a view behind that of its model; the row that is open is no part of it. */
export function viewQuery(view: Partial<FleetView>): string {
  const whole: FleetView = { tab: "applications", text: "", statuses: [], sort: "name", ...view, open: "" };
  const text = withView(new URLSearchParams(), whole).toString();
  return text ? `?${text}` : "";
}

/** A status more, or one less. */
export const toggled = (statuses: readonly string[], status: string): string[] =>
  statuses.includes(status) ? statuses.filter((each) => each !== status) : [...statuses, status];
