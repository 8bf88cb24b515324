import { Link } from "react-router";
import { tally } from "../lib/attention";
import { StatusMark } from "./charts";

interface Properties {
  statuses: readonly string[];
  none?: string;
  /** Where the units in a status are listed. */
  to?: (status: string) => string;
}

/** Counts by status, worst first. */
export function Tally({ statuses, none = "none", to }: Properties) {
  if (statuses.length === 0) return <span className="muted">{none}</span>;
  return (
    <ul className="tally">
      {tally(statuses).map(({ status, count }) => (
        <li key={status}>
          <StatusMark status={status} label={false} />{" "}
          {to ? (
            <Link to={to(status)}>
              {count} {status}
            </Link>
          ) : (
            `${count} ${status}`
          )}
        </li>
      ))}
    </ul>
  );
}
