import { tally } from "../lib/attention";
import { toggled } from "../lib/fleet/address";
import { StatusShape } from "./charts";

interface Properties {
  statuses: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Counts by status, worst first; those that are pressed are shown. */
export function StatusChips({ statuses, chosen, onChange }: Properties) {
  const counted = tally(statuses);
  const gone = chosen.filter((status) => !counted.some((each) => each.status === status));
  const chips = [...counted, ...gone.map((status) => ({ status, count: 0 }))];
  if (chips.length === 0) return null;
  return (
    <ul className="status-chips" aria-label="Statuses">
      {chips.map(({ status, count }) => (
        <li key={status}>
          <button
            type="button"
            data-status={status}
            aria-pressed={chosen.includes(status)}
            onClick={() => onChange(toggled(chosen, status))}
          >
            <StatusShape status={status} /> {count} {status}
          </button>
        </li>
      ))}
    </ul>
  );
}
