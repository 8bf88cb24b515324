import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, Outlet, useLocation, useNavigate, useParams, useSearchParams } from "react-router";
import { Later } from "../../components/Later";
import { incidents, models } from "../../api";
import * as paths from "../../api/paths";
import { StatusMark } from "../../components/charts";
import { CommandHint, CopyTools } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { currentTab, type Tab, Tabs } from "../../components/Tabs";
import { TakesAlong } from "../../components/TakesAlong";
import { Tally } from "../../components/Tally";
import { unitStatus } from "../../lib/attention";
import { command } from "../../lib/commands";
import { CONTROLLER_MODEL } from "../../lib/controllerModel";
import { viewQuery } from "../../lib/fleet/address";
import { outliving } from "../../lib/storage";
import { rangeSearch } from "../../lib/range";
import { toBlocks, toBundles, toDeploy, toIncidents, toModel, toOperations, toSandbox, toSecrets, toStorages, toTimeline } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel, useReady, useSecrets, useStorages } from "../../live/context";
import { useAllowed } from "../../session";

/** What all pages of one model have: its name, its state, its tabs. */
export function ModelLayout() {
  const { model: name = "" } = useParams();
  const ready = useReady();
  const { model, applications, units, machines, relations, charms } = useModel(name);
  const secrets = useSecrets(name);
  const storages = useStorages(name);
  const mayWrite = useAllowed(name, "write");
  const mayAdmin = useAllowed(name, "admin");
  const [destroying, setDestroying] = useState(false);
  const to = toModel(name);
  const { pathname } = useLocation();
  // A time that was chosen on one of these pages holds on the others.
  const search = rangeSearch(useSearchParams()[0]);
  // Asked for now and then: the page of incidents itself follows each change.
  const loud = useQuery({
    queryKey: ["loud-incidents", name],
    queryFn: () => incidents.list(name),
    enabled: ready,
    refetchInterval: 15_000,
  });
  const wrong = loud.data?.filter(({ silenced }) => !silenced).length ?? 0;
  const tabs: Tab[] = [
    { to, label: "Overview", end: true },
    { to: toIncidents(name), label: "Incidents", ...(wrong > 0 && { count: wrong }) },
    { to: toTimeline(name), label: "Timeline", search },
    { to: `${to}/topology`, label: "Topology" },
    { to: `${to}/relations`, label: "Relations", count: relations.length },
    { to: `${to}/reachability`, label: "Reachability" },
    { to: toOperations(name), label: "Operations" },
    { to: `${to}/hooks`, label: "Hooks", search },
    { to: toSandbox(name), label: "Sandbox" },
    { to: `${to}/logs`, label: "Logs", search },
    { to: `${to}/charms`, label: "Charms", count: charms.length },
    { to: toBundles(name), label: "Bundles" },
    { to: toSecrets(name), label: "Secrets", count: secrets.length },
    { to: toStorages(name), label: "Storage", count: storages.length },
    { to: `${to}/config`, label: "Configuration" },
    { to: toBlocks(name), label: "Blocks" },
  ];
  if (mayAdmin) tabs.push({ to: `${to}/access`, label: "Access" }, { to: `${to}/audit`, label: "Audit", search });
  // The controller's own model holds nothing that is deployed, and goes with the controller alone.
  const changeable = model !== undefined && name !== CONTROLLER_MODEL;
  return (
    <>
      <PageHead
        title={name}
        page={currentTab(tabs, pathname)}
        wrong={wrong}
        crumbs={[{ to: "/models", label: "Models" }]}
        aside={model && <StatusMark status={model.life === "alive" ? model.status.status : model.life} />}
        summary={
          units.length > 0 ? (
            <Tally statuses={units.map(unitStatus)} to={(status) => `${to}${viewQuery({ tab: "units", statuses: [status] })}`} />
          ) : (
            model?.status.message
          )
        }
        tools={
          <CopyTools
            cli={command("status", "-m", name)}
            request={{ path: `${paths.model(name)}/status` }}
          />
        }
        actions={
          <>
            {changeable && mayWrite && (
              <Link className="p-button--positive" to={toDeploy(name)}>
                Deploy
              </Link>
            )}
            {changeable && mayAdmin && (
              <button type="button" className="p-button" onClick={() => setDestroying(true)}>
                Destroy model
              </button>
            )}
          </>
        }
      />
      <Tabs label="Model" tabs={tabs} />
      {ready ? <Later what="the page" page={<Outlet />} /> : <Pending what={`model ${name}`} rows={8} />}
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

/** What becomes of storage that outlives its units, said after its names. */
function fate(count: number, release: boolean): string {
  const verb = count === 1 ? "is" : "are";
  if (release) return `${verb} kept`;
  return `${verb} destroyed with ${count === 1 ? "its" : "their"} contents`;
}

function DestroyModel({ name, holds, onClose }: { name: string; holds: string; onClose: () => void }) {
  const navigate = useNavigate();
  const kept = outliving(useStorages(name)).map(({ id }) => id);
  const [force, setForce] = useState(false);
  const [release, setRelease] = useState(false);
  // What the model has no storage for is not said.
  const destroyStorage = kept.length > 0 ? !release : null;
  const destroy = useAct(
    () => models.destroy(name, force, destroyStorage),
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
      {kept.length > 0 && (
        <>
          <ul className="takes-along">
            <TakesAlong names={kept} one="Storage" many="Storage" more={fate(kept.length, release)} />
          </ul>
          <label className="check">
            <input type="checkbox" checked={release} onChange={(event) => setRelease(event.target.checked)} />
            <span>Release the storage: keep its directories and their contents</span>
          </label>
        </>
      )}
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command(
          "destroy-model",
          name,
          "--no-prompt",
          force && "--force",
          destroyStorage !== null && (destroyStorage ? "--destroy-storage" : "--release-storage"),
        )}
        request={{ method: "DELETE", path: paths.model(name) + paths.removal(force, destroyStorage) }}
      />
    </ConfirmByName>
  );
}
