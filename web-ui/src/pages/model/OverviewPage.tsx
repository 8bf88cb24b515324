import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { CONTROLLER_MODEL } from "../../lib/controllerModel";
import { toDeploy } from "../../lib/to";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { Attention } from "./Attention";
import { AddMachinesDialog } from "./fleet/bulk/machineDialogs";
import { Fleet } from "./fleet/Fleet";

export function OverviewPage() {
  const { model: name = "" } = useParams();
  const entities = useModel(name);
  const { applications, units, machines, relations } = entities;
  // What is typed into the filter below does not concern it.
  const attention = useMemo(
    () => <Attention model={name} entities={entities} />,
    [name, applications, units, machines, relations],
  );
  if (applications.length === 0 && machines.length === 0) return <Nothing model={name} />;
  return (
    <>
      {attention}
      <Fleet model={name} entities={entities} />
    </>
  );
}

function Nothing({ model }: { model: string }) {
  const mayWrite = useAllowed(model, "write");
  const [adding, setAdding] = useState(false);
  if (model === CONTROLLER_MODEL) {
    return (
      <Empty title="The controller's own model" cli="periapt destroy-controller --help">
        The controller keeps its own log and configuration here. Deploy applications to other models. It is removed only with the controller.
      </Empty>
    );
  }
  return (
    <>
      <Empty
        title="This model is empty"
        cli={command("deploy", "-m", model, "./FILE.charm")}
        action={
          mayWrite && (
            <div className="actions empty__actions">
              <Link className="p-button--positive" to={toDeploy(model)}>
                Deploy a charm
              </Link>
              <button type="button" className="p-button" onClick={() => setAdding(true)}>
                Add machines
              </button>
            </div>
          )
        }
      >
        Deploy a charm from a file to run its first application.
      </Empty>
      {adding && <AddMachinesDialog model={model} onClose={() => setAdding(false)} />}
    </>
  );
}
