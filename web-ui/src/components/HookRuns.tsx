/** Hook runs, newest first, as a chart with the chosen run's story; older ones on demand. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { type HookFilter, hooks } from "../api";
import { command } from "../lib/commands";
import { toHookRun, toUnit } from "../lib/to";
import { useNow } from "../lib/useNow";
import { HookChart } from "./charts";
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
  return (
    <>
      <HookChart
        runs={all}
        now={now}
        showUnit={showUnit}
        selected={selected}
        onSelect={(id) =>
          setParameters(
            (known) => {
              if (id === null) known.delete("run");
              else known.set("run", String(id));
              return known;
            },
            { replace: true },
          )
        }
        actions={(run) => (
          <>
            <Link to={toHookRun(model, run.id)}>All about this run</Link>{" "}
            <Link to={`${toUnit(model, run.unit)}?view=log`}>Log of {run.unit}</Link>
          </>
        )}
        label="Hooks that ran"
      />
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
