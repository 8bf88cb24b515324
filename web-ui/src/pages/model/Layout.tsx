import { useState } from "react";
import { Link, Outlet, useNavigate, useParams } from "react-router";
import { models } from "../../api";
import * as paths from "../../api/paths";
import { StatusMark } from "../../components/charts";
import { CommandHint, CopyTools } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { PageHead } from "../../components/PageHead";
import { Empty, Loading } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import { Tally } from "../../components/Tally";
import { unitStatus } from "../../lib/attention";
import { command } from "../../lib/commands";
import { toDeploy, toModel } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel, useReady } from "../../live/context";
import { useAllowed } from "../../session";

/** What all pages of one model have: its name, its state, its tabs. */
export function ModelLayout() {
  const { model: name = "" } = useParams();
  const ready = useReady();
  const { model, applications, units, machines, relations, charms } = useModel(name);
  const mayWrite = useAllowed(name, "write");
  const mayAdmin = useAllowed(name, "admin");
  const [destroying, setDestroying] = useState(false);
  const to = toModel(name);
  if (ready && !model) {
    return (
      <>
        <PageHead title={name} crumbs={[{ to: "/models", label: "Models" }]} />
        <Empty title={`There is no model ${name} that you can see`} cli="periapt models">
          It was destroyed, has another name, or was not shared with you. Go back to the{" "}
          <Link to="/models">models</Link>.
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageHead
        title={name}
        crumbs={[{ to: "/models", label: "Models" }]}
        aside={model && <StatusMark status={model.life === "alive" ? model.status : model.life} />}
        summary={units.length > 0 ? <Tally statuses={units.map(unitStatus)} /> : model?.message}
        tools={
          <CopyTools
            cli={command("status", "-m", name)}
            request={{ path: `${paths.model(name)}/status` }}
          />
        }
        actions={
          <>
            {mayWrite && (
              <Link className="p-button--positive" to={toDeploy(name)}>
                Deploy
              </Link>
            )}
            {mayAdmin && (
              <button type="button" className="p-button" onClick={() => setDestroying(true)}>
                Destroy model
              </button>
            )}
          </>
        }
      />
      <Tabs
        label="Model"
        tabs={[
          { to, label: "Overview", end: true },
          { to: `${to}/topology`, label: "Topology" },
          { to: `${to}/relations`, label: "Relations", count: relations.length },
          { to: `${to}/hooks`, label: "Hooks" },
          { to: `${to}/logs`, label: "Logs" },
          { to: `${to}/charms`, label: "Charms", count: charms.length },
          { to: `${to}/config`, label: "Configuration" },
          { to: `${to}/access`, label: "Access" },
          { to: `${to}/audit`, label: "Audit" },
        ]}
      />
      {ready ? <Outlet /> : <Loading what={`model ${name}`} rows={8} />}
      {destroying && (
        <DestroyModel
          name={name}
          holds={`${applications.length} applications, ${units.length} units and ${machines.length} machines`}
          onClose={() => setDestroying(false)}
        />
      )}
    </>
  );
}

function DestroyModel({ name, holds, onClose }: { name: string; holds: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [force, setForce] = useState(false);
  const destroy = useAct(
    () => models.destroy(name, force),
    () => {
      onClose();
      void navigate("/models");
    },
  );
  return (
    <ConfirmByName
      title={`Destroy model ${name}`}
      name={name}
      submit="Destroy model"
      busy={destroy.busy}
      error={destroy.error}
      onConfirm={() => destroy.run()}
      onClose={onClose}
    >
      <p>This removes {holds}, with their state and logs. It cannot be undone.</p>
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command("destroy-model", name, "--no-prompt", force && "--force")}
        request={{ method: "DELETE", path: paths.model(name) + (force ? "?force=true" : "") }}
      />
    </ConfirmByName>
  );
}
