import { Link } from "react-router";
import type { HookRun } from "../api/types";
import { toHookRun, toUnit } from "../lib/to";
import { hookName } from "./charts/hooks/names";
import { isFailed } from "./charts/hooks/plot";
import { durationText } from "./charts/time";
import { Time } from "./Time";

interface Properties {
  model: string;
  runs: readonly HookRun[];
  /** Names the unit, for runs of several. */
  showUnit: boolean;
}

/** Hook runs in words, as they are given: what a chart shows as points, each with the page of its run. */
export function RunTable({ model, runs, showUnit }: Properties) {
  return (
    <table className="list" aria-label="Hook runs">
      <thead>
        <tr>
          <th scope="col">Hook</th>
          {showUnit && <th scope="col">Unit</th>}
          <th scope="col">Result</th>
          <th scope="col">Started</th>
          <th scope="col" className="number">
            Took
          </th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <th scope="row">
              <Link to={toHookRun(model, run.id)}>{hookName(run.hook)}</Link>
            </th>
            {showUnit && (
              <td data-label="Unit">
                <Link to={toUnit(model, run.unit)}>{run.unit}</Link>
              </td>
            )}
            <td data-label="Result">
              <span className={isFailed(run) ? "result is-refused" : "result is-ok"}>{run.result}</span>
            </td>
            <td data-label="Started" className="nowrap">
              <Time at={run["started-at"]} />
            </td>
            <td data-label="Took" className="number nowrap">
              {durationText(run.duration)}
            </td>
            <td data-label="Message" className="message">
              {run.message || "—"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
