import { useRef } from "react";
import { StatusChips } from "../../components/StatusChips";
import { useSlash } from "../../lib/useSlash";
import { FilterField } from "./fleet/FilterField";
import type { FleetAddress } from "./fleet/useFleetView";

interface Properties {
  address: FleetAddress;
  /** Of all applications that have the words. */
  statuses: readonly string[];
  fitting: number;
  all: number;
  neighbours: number;
  /** From the field to what is drawn. */
  onDown: () => void;
}

/** What narrows the picture: words and statuses, in the address under the names that the tables use. */
export function TopologyFilter({ address, statuses, fitting, all, neighbours, onDown }: Properties) {
  const { view, text, change } = address;
  const field = useRef<HTMLInputElement>(null);
  useSlash(field);
  const filtered = text !== "" || view.statuses.length > 0;
  return (
    <div className="topology-filter">
      <div className="filter-bar" role="group" aria-label="Filters">
        <FilterField field={field} address={address} onDown={onDown} />
        {filtered && (
          <button type="button" className="p-button is-small" onClick={() => change({ text: "", statuses: [] })}>
            Clear
          </button>
        )}
        <p className="muted" role="status">
          {filtered && matches(fitting, all, neighbours)}
        </p>
      </div>
      <StatusChips statuses={statuses} chosen={view.statuses} onChange={(statuses) => change({ statuses })} />
    </div>
  );
}

function matches(fitting: number, all: number, neighbours: number): string {
  const found = `${fitting} of ${all} match`;
  if (neighbours === 0) return found;
  return `${found}; ${neighbours} related ${neighbours === 1 ? "application is" : "applications are"} shown fainter`;
}
