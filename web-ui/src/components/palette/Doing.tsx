/** The dialog for what was chosen in the search field, over whatever page is open. */
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { units as unitApi } from "../../api";
import * as paths from "../../api/paths";
import { command } from "../../lib/commands";
import { toApplication, toDeploy } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import type { Act } from "../../lib/verbs";
import { useModel } from "../../live/context";
import { RemoveDialog } from "../../pages/application/RemoveDialog";
import { ScaleDialog } from "../../pages/application/ScaleDialog";
import { AddMachinesDialog } from "../../pages/model/fleet/bulk/machineDialogs";
import { IntegrateDialog } from "../../pages/relations/IntegrateDialog";
import { CommandHint } from "../Commands";
import { Dialog } from "../Dialog";

interface Properties {
  model: string;
  act: Act;
  onClose: () => void;
}

export function Doing({ model, act, onClose }: Properties) {
  const { applications, units } = useModel(model);
  const { verb, subject, value } = act;
  const own = units.filter((unit) => unit.application === subject);
  const application = applications.find(({ name }) => name === subject);
  switch (verb) {
    case "deploy":
      return <Going to={toDeploy(model) + (subject ? `?charm=${encodeURIComponent(subject)}` : "")} onGone={onClose} />;
    case "config":
      return <Going to={`${toApplication(model, subject)}/config`} onGone={onClose} />;
    case "scale":
      return application ? (
        <ScaleDialog model={model} application={application} units={own} wanted={value} onClose={onClose} />
      ) : null;
    case "integrate":
      return <IntegrateDialog model={model} from={subject} to={value} onClose={onClose} />;
    case "remove":
      return <RemoveDialog model={model} name={subject} units={own} onClose={onClose} />;
    case "retry":
      return <RetryDialog model={model} unit={subject} onClose={onClose} />;
    case "add machine":
      return <AddMachinesDialog model={model} wanted={value} onClose={onClose} />;
  }
}

/** Some things have a page of their own. */
function Going({ to, onGone }: { to: string; onGone: () => void }) {
  const navigate = useNavigate();
  useEffect(() => {
    onGone();
    void navigate(to);
  }, [to, navigate, onGone]);
  return null;
}

function RetryDialog({ model, unit, onClose }: { model: string; unit: string; onClose: () => void }) {
  const retry = useAct(() => unitApi.resolve(model, unit, true), onClose);
  return (
    <Dialog
      title={`Retry the hook of ${unit}`}
      submit="Retry hook"
      busy={retry.busy}
      error={retry.error}
      onSubmit={() => retry.run()}
      onClose={onClose}
    >
      <p>The failed hook runs again now, from the state before it.</p>
      <CommandHint
        cli={command("resolved", "-m", model, unit)}
        request={{ method: "POST", path: `${paths.unit(model, unit)}/resolved`, body: { retry: true } }}
      />
    </Dialog>
  );
}
