/** What narrows the tables of a model: tabs, words, statuses, the order, and views with a name. */
import type { RefObject } from "react";
import { StatusChips } from "../../../components/StatusChips";
import { FLEET_TABS, type FleetTab } from "../../../lib/fleet/address";
import { sortedBy, type Sort, sortText } from "../../../lib/fleet/order";
import { tabKeys } from "../../../lib/tabKeys";
import { FilterField } from "./FilterField";
import { SavedViews } from "./SavedViews";
import type { FleetAddress } from "./useFleetView";

export const TAB_NAMES: Record<FleetTab, string> = { applications: "Applications", units: "Units", machines: "Machines" };

interface Properties {
  address: FleetAddress;
  /** How many each tab shows, of how many. */
  counts: Record<FleetTab, { shown: number; all: number }>;
  /** Statuses of all rows of the tab that have the words. */
  statuses: readonly string[];
  sort: Sort;
  sortable: readonly { id: string; label: string }[];
  field: RefObject<HTMLInputElement | null>;
  /** From the field into the rows. */
  onDown: () => void;
}

export function FleetBar({ address, counts, statuses, sort, sortable, field, onDown }: Properties) {
  const { view, text, change } = address;
  const filtered = text !== "" || view.statuses.length > 0;
  return (
    <div className="fleet__bar">
      <div className="segments" role="tablist" aria-label="Tables" onKeyDown={tabKeys}>
        {FLEET_TABS.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`fleet-tab-${tab}`}
            aria-selected={view.tab === tab}
            aria-controls="fleet-table"
            tabIndex={view.tab === tab ? 0 : -1}
            // Statuses and order of one table are not those of another.
            onClick={() => change({ tab, statuses: [], sort: "name", open: "" })}
          >
            {TAB_NAMES[tab]} <span className="section__count">{countText(counts[tab])}</span>
          </button>
        ))}
      </div>
      <div className="filter-bar" role="group" aria-label="Filters">
        <FilterField field={field} address={address} onDown={onDown} />
        <div className="fleet__sort">
          <select aria-label="Sort by" value={sort.column} onChange={(event) => change({ sort: event.target.value })}>
            {sortable.map(({ id, label }) => (
              <option key={id} value={id}>
                By {label === "Since" ? "time in status" : label.toLowerCase()}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="p-button is-small"
            aria-label={sort.descending ? "Descending, reverse the order" : "Ascending, reverse the order"}
            onClick={() => change({ sort: sortText(sortedBy(sort, sort.column)) })}
          >
            {sort.descending ? "↓" : "↑"}
          </button>
        </div>
        {filtered && (
          <button type="button" className="p-button is-small" onClick={() => change({ text: "", statuses: [] })}>
            Clear
          </button>
        )}
        <SavedViews view={view} onChoose={(chosen) => change({ ...chosen, open: "" })} />
      </div>
      <StatusChips statuses={statuses} chosen={view.statuses} onChange={(statuses) => change({ statuses })} />
    </div>
  );
}

const countText = ({ shown, all }: { shown: number; all: number }): string => (shown === all ? String(all) : `${shown} of ${all}`);
