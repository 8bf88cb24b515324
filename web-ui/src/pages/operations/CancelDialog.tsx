import { useQueryClient } from "@tanstack/react-query";
import { tasks as taskApi } from "../../api";
import { ApiError } from "../../api/client";
import * as paths from "../../api/paths";
import type { TaskInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { receiverOf } from "../../lib/operations";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  /** What is cancelled, in words. */
  what: string;
  /** Those that have not ended. */
  tasks: readonly TaskInfo[];
  onClose: () => void;
}

/** Says first what becomes of tasks that wait and of those that run. */
export function CancelDialog({ model, what, tasks, onClose }: Properties) {
  const queries = useQueryClient();
  const cancel = useAct(
    async () => {
      for (const { id } of tasks) {
        await taskApi.cancel(model, id).catch((error: unknown) => {
          // It ended meanwhile: there is nothing left to be cancelled.
          if (!(error instanceof ApiError && error.code === "task-has-ended")) throw error;
        });
      }
    },
    () => {
      onClose();
      void queries.invalidateQueries({ queryKey: ["operation"] });
    },
  );
  const units = (status: TaskInfo["status"]): string[] =>
    tasks.filter((task) => task.status === status).map(receiverOf);
  const only = tasks.length === 1 ? tasks[0] : undefined;
  const cli = command("cancel-task", "-m", model, ...tasks.map(({ id }) => String(id)));
  return (
    <Dialog
      title={`Cancel ${what}`}
      submit={tasks.length > 1 ? `Cancel ${tasks.length} tasks` : "Cancel task"}
      dismiss="Let it run"
      danger
      disabled={tasks.length === 0}
      busy={cancel.busy}
      error={cancel.error}
      onSubmit={() => cancel.run()}
      onClose={onClose}
    >
      {tasks.length === 0 ? (
        <p>It has ended in the meantime.</p>
      ) : (
        <ul className="takes-along">
          <TakesAlong
            names={units("running")}
            one="It is stopped on"
            many="It is stopped on"
            more="(none of its changes there are kept, unless it ends first)"
          />
          <TakesAlong names={units("pending")} one="It will not start on" many="It will not begin on" />
        </ul>
      )}
      {only && (
        <CommandHint cli={cli} request={{ method: "POST", path: `${paths.task(model, only.id)}/cancel` }} />
      )}
      {tasks.length > 1 && <CommandHint cli={cli} />}
    </Dialog>
  );
}
