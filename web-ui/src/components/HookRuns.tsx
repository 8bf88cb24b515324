/** Hook runs, newest first, as a chart with the chosen run's story or as a list; older ones on demand. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { type HookFilter, hooks } from "../api";
import { command } from "../lib/commands";
import { toHookRun, toUnit } from "../lib/to";
import { useNow } from "../lib/useNow";
import { HookChart } from "./charts";
import { RunTable } from "./RunTable";
import { Empty, Failure, Loading } from "./States";

interface Properties {
  model: string;
  filter: HookFilter;
  showUnit?: boolean;
}

export function HookRuns({ model, filter, showUnit = false }: Properties) {
  const now = useNow();
  const [parameters, setParameters] = useSearchParams();
  const runs = useInfiniteQuery({
    queryKey: ["hooks", model, filter],
    queryFn: ({ pageParam }) => hooks.page(model, { ...filter, limit: 100, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const cli = command("debug-log", "-m", model, "--replay", "--no-tail", filter.unit && "--include", filter.unit);
  if (runs.isPending) return <Loading what="the hooks" />;
  if (runs.error) return <Failure error={runs.error} cli={cli} onRetry={() => void runs.refetch()} />;
  const all = runs.data.pages.flatMap(({ items }) => items);
  if (all.length === 0) {
    return (
      <Empty title="No matching hook runs" cli={cli}>
        Hooks run when a unit is installed, configured, refreshed and removed.
      </Empty>
    );
  }
  const selected = Number(parameters.get("run")) || null;
  const listed = parameters.get("as") === "list";
  const set = (name: string, value: string | null): void =>
    setParameters(
      (known) => {
        if (value === null) known.delete(name);
        else known.set(name, value);
        return known;
      },
      { replace: true },
    );
  const show = (label: string, as: string | null) => (
    <button type="button" aria-pressed={listed === (as === "list")} onClick={() => set("as", as)}>
      {label}
    </button>
  );
  return (
    <>
      <div className="chart">
        <div className="chart-choice" role="group" aria-label="Show as">
          {show("Chart", null)}
          {show("List", "list")}
        </div>
      </div>
      {listed ? (
        <RunTable model={model} runs={all} showUnit={showUnit} />
      ) : (
        <HookChart
          runs={all}
          now={now}
          showUnit={showUnit}
          selected={selected}
          onSelect={(id) => set("run", id === null ? null : String(id))}
          actions={(run) => (
            <>
              <Link to={toHookRun(model, run.id)}>Run details</Link>{" "}
              <Link to={`${toUnit(model, run.unit)}?view=log`}>Log of {run.unit}</Link>
            </>
          )}
          label="Hooks that ran"
        />
      )}
      {runs.hasNextPage && (
        <button
          type="button"
          className="p-button"
          disabled={runs.isFetchingNextPage}
          onClick={() => void runs.fetchNextPage()}
        >
          Older runs
        </button>
      )}
    </>
  );
}
