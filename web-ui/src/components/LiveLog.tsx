import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { command } from "../lib/commands";
import { toEntity } from "../lib/to";
import { type LogFilter, useLog } from "../live/lines";
import { LogTable } from "./charts";
import { Empty } from "./States";

interface Properties {
  model: string;
  filter: LogFilter;
  highlight?: string;
}

/** The log as it is written. `highlight` also narrows what is shown. */
export function LiveLog({ model, filter, highlight = "" }: Properties) {
  const navigate = useNavigate();
  const [follow, setFollow] = useState(true);
  const { records, state } = useLog(model, filter);
  const shown = useMemo(() => {
    if (!highlight) return records;
    const wanted = highlight.toLowerCase();
    return records.filter(({ message, module, entity }) =>
      `${entity} ${module} ${message}`.toLowerCase().includes(wanted),
    );
  }, [records, highlight]);
  return (
    <div className="live-log">
      <p className="muted" role="status">
        {state === "broken"
          ? "The log stream broke; trying again"
          : state === "connecting"
            ? "Opening the log"
            : follow
              ? "Following"
              : "Not following: scroll to the end to follow again"}
      </p>
      <LogTable
        records={shown}
        highlight={highlight}
        follow={follow}
        onFollowChange={setFollow}
        onEntity={(entity) => {
          const to = toEntity(model, entity);
          if (to) void navigate(to);
        }}
        empty={
          <Empty
            title="No lines that fit yet"
            cli={command("debug-log", "-m", model, "--replay", filter.include && "--include", filter.include)}
          >
            New lines appear here as they are written.
          </Empty>
        }
        label={`Log of ${filter.include ?? model}`}
      />
    </div>
  );
}
