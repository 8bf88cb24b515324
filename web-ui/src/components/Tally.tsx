import { tally } from "../lib/attention";
import { StatusMark } from "./charts";

/** Counts by status, worst first. */
export function Tally({ statuses, none = "none" }: { statuses: readonly string[]; none?: string }) {
  if (statuses.length === 0) return <span className="muted">{none}</span>;
  return (
    <ul className="tally">
      {tally(statuses).map(({ status, count }) => (
        <li key={status}>
          <StatusMark status={status} label={false} /> {count} {status}
        </li>
      ))}
    </ul>
  );
}
