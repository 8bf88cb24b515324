import { useMemo, useState } from "react";
import { command } from "../lib/commands";
import { type LogFilter, useLog } from "../live/lines";
import { LogTable } from "./charts";
import { entityName } from "./charts/log/entity";
import { Empty } from "./States";

interface Properties {
  model: string;
  filter: LogFilter;
  highlight?: string;
  /** False where the command that follows these lines is shown already. */
  showCommand?: boolean;
  /** Narrows the log to who wrote a line. */
  onEntity?: (name: string) => void;
}

const WORDS = {
  connecting: "Opening the log…",
  live: "",
  broken: "The log stream is broken. Reconnecting…",
};

/** The log as it is written. `highlight` also narrows what is shown. */
export function LiveLog({ model, filter, highlight = "", showCommand = true, onEntity }: Properties) {
  const [follow, setFollow] = useState(true);
  const { records, state } = useLog(model, filter);
  const shown = useMemo(() => {
    if (!highlight) return records;
    const wanted = highlight.toLowerCase();
    return records.filter(({ message, module, entity }) =>
      `${entity} ${entityName(entity)} ${module} ${message}`.toLowerCase().includes(wanted),
    );
  }, [records, highlight]);
  const cli = command(
    "debug-log", "-m", model, "--replay",
    filter.include && "--include", filter.include,
    filter["include-module"] && "--include-module", filter["include-module"],
    filter["exclude-module"] && "--exclude-module", filter["exclude-module"],
  );
  return (
    <div className="live-log">
      <p className={state === "broken" ? "waiting" : "muted"} role="status">
        {WORDS[state]}
      </p>
      <LogTable
        records={shown}
        highlight={highlight}
        follow={follow}
        onFollowChange={setFollow}
        onEntity={onEntity}
        empty={
          <Empty
            title={state === "broken" ? "The log cannot be read now" : "No matching lines yet"}
            {...(showCommand && { cli })}
          >
            {state === "broken"
              ? "The connection to the controller broke. Lines written meanwhile appear once it is back."
              : "New lines appear here as they are written."}
          </Empty>
        }
        label={`Log of ${filter.include ?? model}`}
      />
    </div>
  );
}
