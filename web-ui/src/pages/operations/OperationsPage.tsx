/** What was run in a model, newest first. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useParams } from "react-router";
import { operations } from "../../api";
import { withQuery } from "../../api/client";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { Filters } from "../../components/Filters";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { mergedOperation, STATUSES, statusesOf } from "../../lib/operations";
import { useFilters } from "../../lib/useFilters";
import { useToldOperations } from "../../live/context";
import { OperationTable } from "./OperationTable";

const NAMES = ["applications", "units", "actions", "status"] as const;

export function OperationsPage() {
  const { model = "" } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const told = useToldOperations(model);
  const filter = {
    applications: values.applications || undefined,
    units: values.units || undefined,
    actions: values.actions || undefined,
    status: values.status || undefined,
  };
  const found = useInfiniteQuery({
    queryKey: ["operations", model, filter],
    queryFn: ({ pageParam }) => operations.page(model, { ...filter, limit: 100, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  // Each line that a task tells is an event. Which operations there are changes only with these.
  const statuses = statusesOf(told);
  const queries = useQueryClient();
  useEffect(() => {
    if (statuses !== "") void queries.invalidateQueries({ queryKey: ["operations", model] });
  }, [statuses, model, queries]);
  const cli = command(
    "operations", "-m", model,
    values.applications && "--applications", values.applications,
    values.units && "--units", values.units,
    values.actions && "--actions", values.actions,
    values.status && "--status", values.status,
  );
  const later = new Map(told.map((operation) => [operation.id, operation]));
  const all = found.data?.pages
    .flatMap(({ items }) => items)
    .map((operation) => mergedOperation(operation, later.get(operation.id)));
  const filtered = Object.values(filter).some(Boolean);
  return (
    <section className="section" aria-label="Operations">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "applications", label: "Application" },
            { name: "units", label: "Unit" },
            { name: "actions", label: "Action" },
            {
              name: "status",
              label: "Status",
              options: [["", "All"], ...STATUSES.map((status): [string, string] => [status, status])],
            },
          ]}
          values={values}
          onChange={set}
          onClear={clear}
        />
        <CopyTools cli={cli} request={{ path: withQuery(paths.operations(model), filter) }} />
      </div>
      {found.isPending && <Loading what="the operations" rows={8} />}
      {found.error && <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />}
      {all?.length === 0 && (
        <Empty title={filtered ? "No matching operations" : "Nothing has been run yet"} cli={cli}>
          Run actions and commands from the page of an application or a unit. Their results are kept here for a while.
        </Empty>
      )}
      {all && all.length > 0 && <OperationTable model={model} operations={all} />}
      {found.hasNextPage && (
        <button
          type="button"
          className="p-button"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Older operations
        </button>
      )}
    </section>
  );
}
