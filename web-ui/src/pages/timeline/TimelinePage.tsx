import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams, useSearchParams } from "react-router";
import { timeline } from "../../api";
import { withQuery } from "../../api/client";
import * as paths from "../../api/paths";
import type { TimelineEntry } from "../../api/types";
import { micros, present, timeText } from "../../components/charts/time";
import { CopyTools } from "../../components/Commands";
import { Filters } from "../../components/Filters";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { TimeRange } from "../../components/TimeRange";
import { command } from "../../lib/commands";
import { kindOf, told } from "../../lib/incidents";
import { rangeSearch } from "../../lib/range";
import { toHookRun, toModel } from "../../lib/to";
import { useFilters } from "../../lib/useFilters";
import { useRange } from "../../lib/useRange";
import { TimeBrush } from "./TimeBrush";

const NAMES = ["kinds", "application"] as const;

const KINDS: [string, string][] = [
  ["", "Everything"],
  ["audit,config,revision", "What people changed"],
  ["audit", "Changes and who made them"],
  ["config", "Settings"],
  ["revision", "Charm revisions"],
  ["hook", "Hooks"],
  ["status", "Statuses"],
];

/** What changed in a model, newest first: audit log, settings, revisions, hooks and statuses in one list. */
export function TimelinePage() {
  const { model = "" } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const [{ from, to }, setRange] = useRange();
  const [parameters] = useSearchParams();
  const filter = {
    kinds: values.kinds || undefined,
    application: values.application || undefined,
    from: from === null ? undefined : timeText(from),
    to: to === null ? undefined : timeText(to),
  };
  const entries = useInfiniteQuery({
    queryKey: ["timeline", model, filter],
    queryFn: ({ pageParam }) => timeline.page(model, { ...filter, limit: 200, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const cli = command(
    "timeline", "-m", model, values.application,
    values.kinds && "--kinds", values.kinds,
    filter.from && "--from", filter.from,
    filter.to && "--to", filter.to,
  );
  const all = entries.data?.pages.flatMap(({ items }) => items) ?? [];
  const times = all.map(({ time }) => micros(time));
  const shown = { from: from ?? Math.min(...times, present()), to: to ?? present() };
  const search = rangeSearch(parameters);
  return (
    <section className="section" aria-label="Timeline">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "kinds", label: "Kind", options: KINDS },
            { name: "application", label: "Application" },
          ]}
          values={values}
          onChange={set}
          onClear={clear}
        />
        <CopyTools cli={cli} request={{ path: withQuery(paths.timeline(model), filter) }} />
      </div>
      <TimeRange />
      {entries.isPending && <Loading what="the timeline" rows={8} />}
      {entries.error && <Failure error={entries.error} cli={cli} onRetry={() => void entries.refetch()} />}
      {all.length > 0 && (
        <>
          <TimeBrush times={times} shown={shown} onBrush={setRange} />
          <p className="muted">
            Drag over the bars to choose a time range. See the same range in the <Link to={`${toModel(model)}/logs${search}`}>log</Link>{" "}
            and in the <Link to={`${toModel(model)}/hooks${search}`}>hooks</Link>.
          </p>
          <Entries model={model} entries={all} />
        </>
      )}
      {entries.data && all.length === 0 && (
        <Empty title="Nothing changed" cli={cli}>
          No changes match these filters in this time range.
        </Empty>
      )}
      {entries.hasNextPage && (
        <button
          type="button"
          className="p-button"
          disabled={entries.isFetchingNextPage}
          onClick={() => void entries.fetchNextPage()}
        >
          Older entries
        </button>
      )}
    </section>
  );
}

function Entries({ model, entries }: { model: string; entries: readonly TimelineEntry[] }) {
  return (
    <ol className="timeline-list" aria-label="What changed">
      {entries.map((entry) => (
        <li key={entry.id} data-kind={entry.kind} className={entry.result === "ok" ? undefined : "is-bad"}>
          <span className="timeline-list__time">
            <Time at={entry.time} />
          </span>
          <span className="timeline-list__kind">{kindOf(entry)}</span>
          <span className="timeline-list__what">
            {entry.run != null ? <Link to={toHookRun(model, entry.run)}>{told(entry)}</Link> : told(entry)}
            {entry.message && (
              <span className="muted">
                {entry.kind === "audit" ? ": " : " "}
                {entry.message}
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
