/** The dialog of an earlier operation, filled with what it was given. */
import { useQuery } from "@tanstack/react-query";
import { operations } from "../../api";
import type { OperationInfo } from "../../api/types";
import { Dialog } from "../../components/Dialog";
import { Loading } from "../../components/States";
import { againOf, applicationsOf, askedText } from "../../lib/operations";
import { useModel } from "../../live/context";
import { type Offer, RunDialog } from "../actions/RunDialog";

interface Properties {
  model: string;
  operation: OperationInfo;
  onClose: () => void;
}

export function RunAgain({ model, operation, onClose }: Properties) {
  const { units } = useModel(model);
  const applications = applicationsOf(operation);
  const [application = ""] = applications;
  const task = operation.tasks[0];
  const action = task?.action;
  const offered = useQuery({
    queryKey: ["application", application, "actions", model],
    queryFn: () => operations.offered(model, application),
    enabled: Boolean(action),
  });
  const own = units.filter((unit) => applications.includes(unit.application) && unit.life === "alive");
  const declared = action ? offered.data?.actions[action] : undefined;
  const start = againOf(operation, own, declared);
  // Of several applications the units are fixed: without any there is nothing to choose from.
  const choice = applications.length > 1 ? start.target.units : own;
  if (task?.machine != null) {
    const why = `A machine is asked on the command line: periapt exec --machine ${task.machine} -- ${askedText(task)}.`;
    return <Impossible title={`Run operation ${operation.id} again`} why={why} onClose={onClose} />;
  }
  if (!task || choice.length === 0) {
    return <Impossible title={`Run operation ${operation.id} again`} why="Its units no longer exist." onClose={onClose} />;
  }
  if (action && offered.isPending) {
    return (
      <Dialog title={`Run ${action} again`} submit="Run" disabled onSubmit={() => {}} onClose={onClose}>
        <Loading what="the action" rows={2} />
      </Dialog>
    );
  }
  if (action && offered.error) {
    return (
      <Dialog title={`Run ${action} again`} submit="Run" disabled error={offered.error} onSubmit={() => {}} onClose={onClose}>
        {null}
      </Dialog>
    );
  }
  if (action && !declared) {
    return <Impossible title={`Run ${action} again`} why={`The charm of ${application} no longer has an action ${action}.`} onClose={onClose} />;
  }
  const [name = ""] = task.command ?? [];
  const offer: Offer = action && declared ? { name: action, action: declared } : { name, action: null };
  return (
    <RunDialog
      model={model}
      application={application}
      offer={offer}
      units={own}
      fixed={applications.length > 1 ? start.target.units : undefined}
      start={start}
      onClose={onClose}
    />
  );
}

function Impossible({ title, why, onClose }: { title: string; why: string; onClose: () => void }) {
  return (
    <Dialog title={title} submit="Close" cancel={false} onSubmit={onClose} onClose={onClose}>
      <p>{why} It cannot be run again here.</p>
    </Dialog>
  );
}
