import { useParams } from "react-router";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import { CopyTools } from "../components/Commands";
import { Filters } from "../components/Filters";
import { LiveLog } from "../components/LiveLog";
import { command } from "../lib/commands";
import { useFilters } from "../lib/useFilters";

const NAMES = ["include", "exclude", "level", "text"] as const;

const LEVELS: [string, string][] = [
  ["", "INFO and worse"],
  ["TRACE", "TRACE and worse"],
  ["DEBUG", "DEBUG and worse"],
  ["WARNING", "WARNING and worse"],
  ["ERROR", "ERROR only"],
];

export function LogsPage() {
  const { model = "" } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const { include, exclude, level, text } = values;
  const filter = {
    include: include || undefined,
    exclude: exclude || undefined,
    level: level || "INFO",
    tail: 500,
  };
  return (
    <section className="section" aria-label="Log">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "include", label: "Entities", help: "site/0, machine-*; commas between" },
            { name: "exclude", label: "Except" },
            { name: "level", label: "Level", options: LEVELS },
            { name: "text", label: "Text" },
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
          request={{ path: withQuery(`${paths.model(model)}/logs`, { ...filter, follow: true }) }}
        />
      </div>
      <LiveLog model={model} filter={filter} highlight={text} />
    </section>
  );
}
