import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { machines as machineApi } from "../api";
import * as paths from "../api/paths";
import { StatusMark, StatusTimeline } from "../components/charts";
import { CopyTools } from "../components/Commands";
import { Facts } from "../components/Fields";
import { PageHead } from "../components/PageHead";
import { Pending } from "../components/Pending";
import { Empty, Failure, Loading } from "../components/States";
import { Time } from "../components/Time";
import { UnitTable } from "../components/UnitTable";
import { Waiting } from "../components/Waiting";
import { command } from "../lib/commands";
import { CONTROLLER_MODEL } from "../lib/controllerModel";
import { toModel } from "../lib/to";
import { useNow } from "../lib/useNow";
import { useModel, useReady, useStorages } from "../live/context";
import { useAllowed } from "../session";
import { Notes } from "./annotations/Notes";
import { RemoveMachinesDialog } from "./model/fleet/bulk/machineDialogs";

export function MachinePage() {
  const { model = "", machine: written = "" } = useParams();
  const id = written.replaceAll("-", "/");
  const ready = useReady();
  const entities = useModel(model);
  const storages = useStorages(model);
  const { machines, units } = entities;
  const mayWrite = useAllowed(model, "write") && model !== CONTROLLER_MODEL;
  const [removing, setRemoving] = useState(false);
  const machine = machines.find((each) => each.id === id);
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
  ];
  const cli = command("status", "-m", model);
  return (
    <>
      <PageHead
        title={`Machine ${id}`}
        crumbs={crumbs}
        aside={machine && <StatusMark status={machine.agent.status} />}
        summary={machine && (machine.agent.message || machine.instance.message)}
        tools={<CopyTools cli={cli} request={{ path: paths.machine(model, id) }} />}
        actions={
          machine &&
          mayWrite && (
            <button type="button" className="p-button is-danger" onClick={() => setRemoving(true)}>
              Remove
            </button>
          )
        }
      />
      {!ready && !machine && <Pending what={`machine ${id}`} />}
      {ready && !machine && (
        <Empty title={`There is no machine ${id} in ${model}`} cli={cli}>
          It was removed, or no machine ever had this number. Go back to{" "}
          <Link to={toModel(model)}>{model}</Link>.
        </Empty>
      )}
      {machine && (
        <>
          <Facts
            rows={[
              ["Instance", <StatusMark key="instance" status={machine.instance.status} />],
              ["Instance ID", machine["instance-id"] || "not known yet"],
              ["Addresses", machine.addresses.join(", ") || "none"],
              ["Hardware", machine.hardware || "not reported"],
              ["Constraints", machine.constraints || "none"],
              ["Life", machine.life],
              ["Added", <Time key="added" at={machine["created-at"]} />],
            ]}
          />
          <Waiting words={machine["waiting-for"]} />
          <section className="section" aria-label="Units">
            <h2 className="section__title">Units</h2>
            <UnitTable
              model={model}
              units={units.filter((unit) => unit.machine === id)}
              caption={`Units on machine ${id}`}
            />
          </section>
        </>
      )}
      {machine && (
        <section className="section" aria-label="Status history">
          <h2 className="section__title">Status history</h2>
          <History model={model} id={id} />
        </section>
      )}
      {machine && <Notes model={model} entity={id} what={`machine ${id}`} />}
      {removing && machine && (
        <RemoveMachinesDialog model={model} ids={[id]} entities={{ ...entities, storages }} onClose={() => setRemoving(false)} />
      )}
    </>
  );
}

function History({ model, id }: { model: string; id: string }) {
  const now = useNow();
  const history = useQuery({
    queryKey: ["history", id, model],
    queryFn: () => machineApi.history(model, id, 200),
  });
  const cli = command("show-status-log", "-m", model, id);
  if (history.isPending) return <Loading what="the history" />;
  if (history.error) return <Failure error={history.error} cli={cli} onRetry={() => void history.refetch()} />;
  if (history.data.length === 0) return <Empty title="No statuses yet" cli={cli} />;
  return <StatusTimeline entries={history.data} now={now} label={`Statuses of machine ${id}`} />;
}
