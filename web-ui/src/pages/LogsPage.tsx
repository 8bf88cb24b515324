import { useParams } from "react-router";
import { entityFilter } from "../components/charts/log/entity";
import { CopyTools } from "../components/Commands";
import { Filters } from "../components/Filters";
import { LiveLog } from "../components/LiveLog";
import { TimeRange } from "../components/TimeRange";
import { command } from "../lib/commands";
import { moment } from "../lib/range";
import { useFilters } from "../lib/useFilters";
import { useRange } from "../lib/useRange";
import { logAddress } from "../live/lines";

const NAMES = ["include", "exclude", "level", "text"] as const;

const LEVELS: [string, string][] = [
  ["", "INFO and above"],
  ["TRACE", "TRACE and above"],
  ["DEBUG", "DEBUG and above"],
  ["WARNING", "WARNING and above"],
  ["ERROR", "ERROR only"],
];

export function LogsPage() {
  const { model = "" } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const { include, exclude, level, text } = values;
  const [{ from, to }] = useRange();
  const filter = {
    include: include || undefined,
    exclude: exclude || undefined,
    level: level || "INFO",
    from: from === null ? undefined : moment(from),
    to: to === null ? undefined : moment(to),
    tail: 500,
  };
  return (
    <section className="section" aria-label="Log">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "include", label: "Entities", help: "site/0, machine-*; separated by commas" },
            { name: "exclude", label: "Except" },
            { name: "level", label: "Level", options: LEVELS },
            { name: "text", label: "Text", help: "In the lines loaded below" },
          ]}
          values={values}
          onChange={set}
          onClear={clear}
        />
        <CopyTools
          cli={command(
            "debug-log", "-m", model,
            include && "--include", include,
            exclude && "--exclude", exclude,
            level && "--level", level,
          )}
          request={{ path: logAddress(model, filter) }}
        />
      </div>
      <TimeRange />
      <LiveLog
        model={model}
        filter={filter}
        highlight={text}
        onEntity={(entity) => set("include", entityFilter(entity))}
      />
    </section>
  );
}
