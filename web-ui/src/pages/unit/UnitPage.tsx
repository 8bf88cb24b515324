import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { units as unitApi } from "../../api";
import * as paths from "../../api/paths";
import type { UnitInfo } from "../../api/types";
import { StatusMark, StatusTimeline } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { HookRuns } from "../../components/HookRuns";
import { OpenLink } from "../../components/OpenLink";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty, Failure, Loading } from "../../components/States";
import { useReveal } from "../../components/Tabs";
import { Time } from "../../components/Time";
import { Waiting } from "../../components/Waiting";
import { command } from "../../lib/commands";
import { unitUrl } from "../../lib/reach";
import { tabKeys } from "../../lib/tabKeys";
import { toApplication, toCharm, toMachine, toModel, toUnit } from "../../lib/to";
import { useNow } from "../../lib/useNow";
import { useModel, useReady } from "../../live/context";
import { useAllowed } from "../../session";
import { ActionsSection } from "../actions/ActionsSection";
import { Notes } from "../annotations/Notes";
import { RemoveUnitDialog } from "./RemoveUnitDialog";
import { ResolveBanner } from "./ResolveBanner";
import { UnitFiles } from "./UnitFiles";
import { UnitLog } from "./UnitLog";
import { UnitMetrics } from "./UnitMetrics";
import { UnitReach } from "./UnitReach";
import { UnitRelations } from "./UnitRelations";
import { UnitStorage } from "./UnitStorage";
import { UnitWhy } from "./UnitWhy";
import { UnitWorkloads } from "./UnitWorkloads";

const VIEWS = {
  hooks: "Hooks",
  actions: "Actions",
  services: "Services",
  reach: "Reached by",
  relations: "Relations",
  storage: "Storage",
  files: "Files",
  history: "Status history",
  log: "Live log",
};

type View = keyof typeof VIEWS;

export function UnitPage() {
  const { model = "", application = "", number = "" } = useParams();
  const name = `${application}/${number}`;
  const ready = useReady();
  const { applications, units } = useModel(model);
  const unit = units.find((each) => each.name === name);
  const open = unit?.["opened-ports"] ?? [];
  const url = unitUrl(applications.find((each) => each.name === application), name, open);
  const mayWrite = useAllowed(model, "write");
  const [removing, setRemoving] = useState(false);
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get("view");
  const views = Object.keys(VIEWS) as View[];
  const view = views.find((each) => each === wanted) ?? "hooks";
  const strip = useReveal<HTMLDivElement>(view);
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
    { to: toApplication(model, application), label: application },
  ];
  const gone = ready && !unit;
  return (
    <>
      <PageHead
        title={name}
        page={wanted ? VIEWS[view] : undefined}
        crumbs={crumbs}
        aside={
          unit && (
            <>
              <StatusMark status={unit.workload.status} />
              {unit.leader && <span className="tag">leader</span>}
              {unit.life !== "alive" && <span className="tag">{unit.life}</span>}
            </>
          )
        }
        summary={unit && unit.workload.status !== "error" && unit.workload.message}
        tools={
          <CopyTools
            cli={command("show-unit", "-m", model, name)}
            request={{ path: paths.unit(model, name) }}
          />
        }
        actions={
          unit &&
          mayWrite && (
            <button type="button" className="p-button is-danger" onClick={() => setRemoving(true)}>
              Remove
            </button>
          )
        }
      />
      {!ready && !unit && <Pending what={`unit ${name}`} />}
      {gone && (
        <Empty title={`There is no unit ${name} in ${model}`} cli={command("status", "-m", model)}>
          It was removed, or never existed. The history of a removed unit is shown below as long as the model keeps it.
        </Empty>
      )}
      {unit && (
        <>
          {unit.workload.status === "error" && (
            <ResolveBanner model={model} unit={unit} mayWrite={mayWrite} />
          )}
          <Facts
            rows={[
              ["Agent", <StatusMark key="agent" status={unit.agent.status} />],
              [
                "Machine",
                unit.machine ? (
                  <Link key="machine" to={toMachine(model, unit.machine)}>
                    {unit.machine}
                  </Link>
                ) : (
                  "not assigned yet"
                ),
              ],
              ...neighbours(model, unit),
              ["Charm", <Link key="charm" to={toCharm(model, unit.charm)}>{unit.charm}</Link>],
              [
                "Address",
                <span key="address">
                  {unit["public-address"] ?? "none"} <OpenLink to={url} of={name} />
                </span>,
              ],
              ["Ports", unit["opened-ports"].join(", ") || "none"],
              ["Version", unit["workload-version"] || "not reported"],
              ...meter(unit),
              ["Status since", <Time key="since" at={unit.workload.since} />],
            ]}
          />
          {/* Of a failed hook the banner above says more. */}
          {(unit.life !== "alive" || unit.workload.status !== "error") && (
            <Waiting words={unit["waiting-for"]} />
          )}
        </>
      )}
      {unit && <UnitWhy model={model} unit={unit} />}
      {unit && <UnitMetrics model={model} unit={name} />}
      <div ref={strip} className="tabs tabs--views" role="tablist" aria-label="Unit" onKeyDown={tabKeys}>
        {views.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={view === each}
            aria-controls="unit-view"
            tabIndex={view === each ? 0 : -1}
            onClick={() => setParameters({ view: each })}
          >
            {VIEWS[each]}
          </button>
        ))}
      </div>
      <div id="unit-view" role="tabpanel" aria-labelledby={`tab-${view}`} className="section">
        {view === "hooks" && <HookRuns model={model} filter={{ unit: name }} />}
        {view === "actions" && <ActionsSection model={model} application={application} unit={name} />}
        {view === "services" && <UnitWorkloads model={model} unit={name} url={url} open={open} />}
        {view === "reach" && <UnitReach model={model} unit={name} applications={applications} />}
        {view === "relations" && <UnitRelations model={model} unit={name} />}
        {view === "storage" && <UnitStorage model={model} unit={name} charm={unit?.charm} />}
        {view === "files" && <UnitFiles model={model} unit={name} />}
        {view === "history" && <History model={model} name={name} />}
        {view === "log" && <UnitLog model={model} unit={name} />}
      </div>
      {unit && <Notes model={model} entity={name} what={`unit ${name}`} />}
      {removing && unit && (
        <RemoveUnitDialog model={model} unit={unit} onClose={() => setRemoving(false)} />
      )}
    </>
  );
}

/** What it uses against the quotas of its model; nothing is shown of a unit within them. */
function meter(unit: UnitInfo): [string, ReactNode][] {
  const status = unit["meter-status"];
  return status ? [["Quota", `${status.color}: ${status.message}`]] : [];
}

/** Who else lives in its container. */
function neighbours(model: string, unit: UnitInfo): [string, ReactNode][] {
  const links = (names: string[]): ReactNode =>
    names.map((name, index) => (
      <span key={name}>
        {index > 0 && ", "}
        <Link to={toUnit(model, name)}>{name}</Link>
      </span>
    ));
  const rows: [string, ReactNode][] = [];
  if (unit.principal) rows.push(["Principal", links([unit.principal])]);
  if (unit.subordinates?.length) rows.push(["Subordinates", links(unit.subordinates)]);
  return rows;
}

function History({ model, name }: { model: string; name: string }) {
  const now = useNow();
  const history = useQuery({
    queryKey: ["history", name, model],
    queryFn: () => unitApi.history(model, name, 500),
  });
  const cli = command("show-status-log", "-m", model, name);
  if (history.isPending) return <Loading what="the history" />;
  if (history.error) return <Failure error={history.error} cli={cli} onRetry={() => void history.refetch()} />;
  if (history.data.length === 0) {
    return <Empty title="No statuses yet" cli={cli} />;
  }
  return <StatusTimeline entries={history.data} now={now} label={`Statuses of ${name}`} />;
}
