import { useState } from "react";
import { Link, Outlet, useLocation, useParams } from "react-router";
import * as paths from "../../api/paths";
import { Later } from "../../components/Later";
import { StatusMark } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { OpenLink } from "../../components/OpenLink";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty } from "../../components/States";
import { currentTab, type Tab, Tabs } from "../../components/Tabs";
import { Time } from "../../components/Time";
import { Waiting } from "../../components/Waiting";
import { command } from "../../lib/commands";
import { exposure } from "../../lib/reach";
import { relationsOf } from "../../lib/relations";
import { grantedTo, ownedBy } from "../../lib/secrets";
import { unitsOf } from "../../lib/terms";
import { toApplication, toCharm, toModel } from "../../lib/to";
import { useModel, useReady, useSecrets } from "../../live/context";
import { useAllowed } from "../../session";
import { IntegrateDialog } from "../relations/IntegrateDialog";
import { ExposeDialog, UnexposeDialog } from "./ExposeDialog";
import { RefreshDialog } from "./RefreshDialog";
import { RemoveDialog } from "./RemoveDialog";
import { ScaleDialog } from "./ScaleDialog";

type Open = "scale" | "integrate" | "expose" | "unexpose" | "refresh" | "remove" | null;

/** What all pages of one application have: state, actions, tabs. */
export function ApplicationLayout() {
  const { model = "", application: name = "" } = useParams();
  const ready = useReady();
  const { applications, units, relations } = useModel(model);
  const secrets = useSecrets(model);
  const application = applications.find((each) => each.name === name);
  const own = units.filter((unit) => unit.application === name);
  const mayWrite = useAllowed(model, "write");
  const { pathname } = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const to = toApplication(model, name);
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
  ];
  if (!application) {
    return (
      <>
        <PageHead title={name} crumbs={crumbs} />
        {ready ? (
          <Empty title={`There is no application ${name} in ${model}`} cli={command("status", "-m", model)}>
            It was removed, or has another name. Go back to <Link to={toModel(model)}>{model}</Link>.
          </Empty>
        ) : (
          <Pending what={`application ${name}`} />
        )}
      </>
    );
  }
  const alive = application.life === "alive";
  const tabs: Tab[] = [
    { to, label: "Units", end: true, count: own.length },
    { to: `${to}/relations`, label: "Relations", count: relationsOf(relations, name).length },
    { to: `${to}/requests`, label: "Requests" },
    { to: `${to}/actions`, label: "Actions" },
    { to: `${to}/resources`, label: "Resources" },
    { to: `${to}/config`, label: "Configuration" },
    { to: `${to}/capabilities`, label: "Capabilities" },
    { to: `${to}/secrets`, label: "Secrets", count: ownedBy(secrets, name).length + grantedTo(secrets, name).length },
    { to: `${to}/hooks`, label: "Hooks" },
    { to: `${to}/history`, label: "History" },
  ];
  return (
    <>
      <PageHead
        title={name}
        page={currentTab(tabs, pathname)}
        crumbs={crumbs}
        aside={
          <>
            <StatusMark status={application.status.status} />
            {application.exposed && <span className="tag">exposed</span>}
            {application.subordinate && <span className="tag">subordinate</span>}
            {application.trust && <span className="tag">trusted</span>}
            {!alive && <span className="tag">{application.life}</span>}
          </>
        }
        summary={application.status.message}
        tools={
          <CopyTools
            cli={command("show-application", "-m", model, name)}
            request={{ path: paths.application(model, name) }}
          />
        }
        actions={
          mayWrite && (
            <>
              {!application.subordinate && (
                <button type="button" className="p-button" disabled={!alive} onClick={() => setOpen("scale")}>
                  Scale
                </button>
              )}
              <button type="button" className="p-button" disabled={!alive} onClick={() => setOpen("integrate")}>
                Integrate
              </button>
              {application.exposed ? (
                <button type="button" className="p-button" onClick={() => setOpen("unexpose")}>
                  Unexpose
                </button>
              ) : (
                <button type="button" className="p-button" disabled={!alive} onClick={() => setOpen("expose")}>
                  Expose
                </button>
              )}
              <button type="button" className="p-button" disabled={!alive} onClick={() => setOpen("refresh")}>
                Refresh
              </button>
              <button type="button" className="p-button is-danger" onClick={() => setOpen("remove")}>
                Remove
              </button>
            </>
          )
        }
      />
      <Facts
        rows={[
          [
            "Charm",
            <span key="charm">
              <Link to={toCharm(model, application.charm)}>{application.charm}</Link>
              {application["can-upgrade-to"] && (
                <span className="tag">can upgrade to {application["can-upgrade-to"]}</span>
              )}
            </span>,
          ],
          ["Units", unitsOf(application)],
          ["Version", application["workload-version"] || "not reported"],
          [
            "Exposed",
            <span key="exposed">
              {exposure(application)} <OpenLink to={application.url} of={name} />
            </span>,
          ],
          ["Status since", <Time key="since" at={application.status.since} />],
        ]}
      />
      <Waiting words={application["waiting-for"]} />
      <Tabs label="Application" tabs={tabs} />
      <Later what="the page" page={<Outlet />} />
      {open === "scale" && <ScaleDialog model={model} application={application} units={own} onClose={close} />}
      {open === "integrate" && <IntegrateDialog model={model} from={name} onClose={close} />}
      {open === "expose" && <ExposeDialog model={model} name={name} onClose={close} />}
      {open === "unexpose" && <UnexposeDialog model={model} name={name} onClose={close} />}
      {open === "refresh" && <RefreshDialog model={model} application={application} onClose={close} />}
      {open === "remove" && <RemoveDialog model={model} name={name} units={own} onClose={close} />}
    </>
  );
}
