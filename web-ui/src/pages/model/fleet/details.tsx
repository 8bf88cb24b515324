/** What the side panel tells of an application, a unit, a machine; all of it is on their own pages. */
import { Link } from "react-router";
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../../../api/types";
import { StatusMark } from "../../../components/charts";
import { Facts } from "../../../components/Fields";
import { Items } from "../../../components/Items";
import { OpenLink } from "../../../components/OpenLink";
import { Tally } from "../../../components/Tally";
import { Time } from "../../../components/Time";
import { Waiting } from "../../../components/Waiting";
import { natural, unitMessage, unitStatus } from "../../../lib/attention";
import { viewQuery } from "../../../lib/fleet/address";
import { exposure } from "../../../lib/reach";
import { relationsOf } from "../../../lib/relations";
import { toApplication, toCharm, toMachine, toModel, toRelation, toUnit } from "../../../lib/to";
import type { ModelEntities } from "../../../live/context";
import { ResolveBanner } from "../../unit/ResolveBanner";

/** So many links stand in a panel; the rest is on the page. */
const LISTED = 12;

interface Properties {
  model: string;
  entities: ModelEntities;
}

export function UnitDetails({ model, unit, mayWrite }: { model: string; unit: UnitInfo; mayWrite: boolean }) {
  const failed = unit.workload.status === "error";
  return (
    <>
      {failed ? <ResolveBanner model={model} unit={unit} mayWrite={mayWrite} /> : <p className="prose">{unitMessage(unit)}</p>}
      {(unit.life !== "alive" || !failed) && <Waiting words={unit["waiting-for"]} />}
      <Facts
        rows={[
          ["Agent", <StatusMark key="agent" status={unit.agent.status} />],
          ["Machine", unit.machine ? <Link key="machine" to={toMachine(model, unit.machine)}>{unit.machine}</Link> : "not assigned yet"],
          ["Application", <Link key="application" to={toApplication(model, unit.application)}>{unit.application}</Link>],
          ["Charm", <Link key="charm" to={toCharm(model, unit.charm)}>{unit.charm}</Link>],
          ["Address", unit["public-address"] ?? "none"],
          ["Ports", unit["opened-ports"].join(", ") || "none"],
          ["Version", unit["workload-version"] || "not reported"],
          ["Status since", <Time key="since" at={unit.workload.since} />],
        ]}
      />
      <nav aria-label="Pages of the unit">
        <ul className="panel__links">
          <li><Link to={toUnit(model, unit.name)}>Open {unit.name}</Link></li>
          <li><Link to={`${toUnit(model, unit.name)}?view=log`}>Live log</Link></li>
          <li><Link to={`${toUnit(model, unit.name)}?view=hooks`}>Hooks</Link></li>
          <li><Link to={`${toUnit(model, unit.name)}?view=history`}>Status history</Link></li>
        </ul>
      </nav>
    </>
  );
}

export function ApplicationDetails({ model, application, entities }: Properties & { application: ApplicationInfo }) {
  const { name } = application;
  const own = entities.units.filter((unit) => unit.application === name);
  const relations = relationsOf(entities.relations, name);
  return (
    <>
      {application.status.message && <p className="prose">{application.status.message}</p>}
      <Waiting words={application["waiting-for"]} />
      <Tally
        statuses={own.map(unitStatus)}
        none="no units"
        to={(status) => `${toModel(model)}${viewQuery({ tab: "units", text: `${name}/`, statuses: [status] })}`}
      />
      <Facts
        rows={[
          ["Charm", <Link key="charm" to={toCharm(model, application.charm)}>{application.charm}</Link>],
          ["Version", application["workload-version"] || "not reported"],
          ["Exposed", <span key="exposed">{exposure(application)} <OpenLink to={application.url} of={name} /></span>],
          ["Status since", <Time key="since" at={application.status.since} />],
          [
            "Relations",
            <Items
              key="relations"
              of={relations.slice(0, LISTED).map(({ id, key }) => ({ key, shown: <Link to={toRelation(model, id)}>{key}</Link> }))}
              none="none"
            />,
          ],
        ]}
        wide={["Relations"]}
      />
      <nav aria-label="Pages of the application">
        <ul className="panel__links">
          <li><Link to={toApplication(model, name)}>Open {name}</Link></li>
          <li><Link to={`${toApplication(model, name)}/config`}>Configuration</Link></li>
          <li><Link to={`${toApplication(model, name)}/hooks`}>Hooks</Link></li>
          <li><Link to={`${toApplication(model, name)}/history`}>Status history</Link></li>
        </ul>
      </nav>
    </>
  );
}

export function MachineDetails({ model, machine }: { model: string; machine: MachineInfo }) {
  const message = machine.instance.message || machine.agent.message;
  const units = machine.units.toSorted(natural);
  const more = units.length - LISTED;
  return (
    <>
      {message && (
        <p className="prose">{message}</p>
      )}
      <Waiting words={machine["waiting-for"]} />
      <Facts
        rows={[
          ["Instance", <StatusMark key="instance" status={machine.instance.status} />],
          ["Instance ID", machine["instance-id"] || "not known yet"],
          ["Addresses", machine.addresses.join(", ") || "none"],
          ["Hardware", machine.hardware || "not reported"],
          ["Constraints", machine.constraints || "none"],
          ["Added", <Time key="added" at={machine["created-at"]} />],
          [
            "Units",
            <span key="units">
              <Items of={units.slice(0, LISTED).map((unit) => ({ key: unit, shown: <Link to={toUnit(model, unit)}>{unit}</Link> }))} none="none" />
              {more > 0 && ` and ${more} more`}
            </span>,
          ],
        ]}
        wide={["Units"]}
      />
      <p>
        <Link to={toMachine(model, machine.id)}>Open machine {machine.id}</Link>
      </p>
    </>
  );
}
