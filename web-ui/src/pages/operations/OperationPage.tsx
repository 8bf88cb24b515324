/** One operation: who asked for what, and its tasks as they go on. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { operations } from "../../api";
import { ApiError } from "../../api/client";
import * as paths from "../../api/paths";
import type { OperationInfo, TaskInfo } from "../../api/types";
import { countStatuses } from "../../components/charts/status";
import { zonedClock } from "../../components/charts/time";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { TaskMark } from "../../components/TaskMark";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { canCancel, hasEnded, mergedOperation, receiverOf, tookText, whoAsked } from "../../lib/operations";
import { toModel, toOperations } from "../../lib/to";
import { useSeconds } from "../../lib/useNow";
import { useHealth, useToldOperations } from "../../live/context";
import { useAllowed } from "../../session";
import { CancelDialog } from "./CancelDialog";
import { RunAgain } from "./RunAgain";
import { TaskList } from "./TaskList";

type Asking = { what: string; tasks: number[] } | "again" | null;

export function OperationPage() {
  const { model = "", operation: id = "" } = useParams();
  const isNumber = /^[1-9]\d{0,15}$/.test(id);
  const found = useQuery({
    queryKey: ["operation", id, model],
    queryFn: () => operations.show(model, id),
    enabled: isNumber,
  });
  const told = useToldOperations(model).find((each) => String(each.id) === id);
  const known = found.data ?? told;
  const operation = known && mergedOperation(known, told);
  const mayWrite = useAllowed(model, "write");
  const [asking, setAsking] = useState<Asking>(null);
  const cli = command("show-operation", "-m", model, id);
  const missing = !isNumber || (found.error instanceof ApiError && found.error.status === 404);
  const unfinished = operation?.tasks.filter(({ status }) => canCancel(status)) ?? [];
  const close = (): void => setAsking(null);
  return (
    <>
      <PageHead
        title={`Operation ${id}`}
        crumbs={[
          { to: "/models", label: "Models" },
          { to: toModel(model), label: model },
          { to: toOperations(model), label: "Operations" },
        ]}
        aside={operation && <TaskMark status={operation.status} />}
        summary={operation?.summary}
        tools={<CopyTools cli={cli} request={{ path: paths.operation(model, id) }} />}
        actions={
          operation &&
          mayWrite && (
            <>
              <button type="button" className="p-button" onClick={() => setAsking("again")}>
                Run again
              </button>
              {unfinished.length > 0 && (
                <button
                  type="button"
                  className="p-button is-danger"
                  onClick={() => setAsking({ what: `operation ${id}`, tasks: unfinished.map((task) => task.id) })}
                >
                  Cancel
                </button>
              )}
            </>
          )
        }
      />
      {missing && !operation && (
        <Empty title={`There is no operation ${id} in ${model}`} cli={command("operations", "-m", model)}>
          Old operations are deleted after a while. Go back to the <Link to={toOperations(model)}>operations</Link>.
        </Empty>
      )}
      {!operation && !missing && found.isPending && <Loading what="the operation" />}
      {!missing && found.error && <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />}
      {operation && (
        <>
          {missing && <p className="waiting">The controller has deleted this operation. This is its last known state.</p>}
          <Stale operation={operation} />
          <OperationFacts operation={operation} />
          <TaskList
            key={id}
            model={model}
            tasks={operation.tasks}
            onCancel={mayWrite ? (task) => setAsking({ what: nameOf(task), tasks: [task.id] }) : null}
          />
        </>
      )}
      {operation && asking === "again" && <RunAgain model={model} operation={operation} onClose={close} />}
      {operation && asking !== null && asking !== "again" && (
        <CancelDialog
          model={model}
          what={asking.what}
          tasks={unfinished.filter((task) => asking.tasks.includes(task.id))}
          onClose={close}
        />
      )}
    </>
  );
}

const nameOf = (task: TaskInfo): string => `task ${task.id} on ${receiverOf(task)}`;

/** That what is shown may be over. */
function Stale({ operation }: { operation: OperationInfo }) {
  const { health } = useHealth();
  if (health.state !== "stale" || hasEnded(operation.status)) return null;
  return (
    <p className="waiting" role="status">
      No news from the controller since {zonedClock(health.since * 1000)}: tasks may have continued or ended.
    </p>
  );
}

function OperationFacts({ operation }: { operation: OperationInfo }) {
  const now = useSeconds(operation.status === "running");
  return (
    <Facts
      rows={[
        ["Asked by", whoAsked(operation.user)],
        ["Asked", <Time key="asked" at={operation["enqueued-at"]} />],
        ["Began", operation["started-at"] == null ? "not yet" : <Time key="began" at={operation["started-at"]} />],
        ["Took", tookText(operation, now)],
        ["Tasks", countStatuses(operation.tasks.map(({ status }) => status)) || "none"],
      ]}
    />
  );
}
