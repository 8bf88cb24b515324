/** Columns of applications and machines in the tables of a model. */
import { Link } from "react-router";
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../../../api/types";
import { Name, StatusMark } from "../../../components/charts";
import { Clamped } from "../../../components/Clamped";
import { Items } from "../../../components/Items";
import { OpenLink } from "../../../components/OpenLink";
import type { Column } from "../../../components/table/DataTable";
import { Time } from "../../../components/Time";
import { machineStatus, natural, severity, unitStatus } from "../../../lib/attention";
import { timeKey } from "../../../lib/fleet/order";
import { toApplication, toCharm, toMachine, toUnit } from "../../../lib/to";

/** How many units of each application are active. */
export function activeUnits(units: readonly UnitInfo[]): Map<string, number> {
  const active = new Map<string, number>();
  for (const unit of units) {
    if (unitStatus(unit) === "active") active.set(unit.application, (active.get(unit.application) ?? 0) + 1);
  }
  return active;
}

export function applicationColumns(model: string, active: ReadonlyMap<string, number>): Column<ApplicationInfo>[] {
  return [
    {
      id: "name",
      label: "Application",
      keys: ({ name }) => [name],
      cell: (application) => <ApplicationName model={model} application={application} />,
    },
    {
      id: "status",
      label: "Status",
      className: "nowrap",
      keys: ({ status, name }) => [severity(status.status), status.status, name],
      cell: ({ status }) => <StatusMark status={status.status} />,
    },
    {
      id: "units",
      label: "Active",
      className: "number",
      keys: ({ units, name }) => [units.length, name],
      cell: ({ name, units }) => {
        const up = active.get(name) ?? 0;
        return (
          <span className={up < units.length ? "is-short" : undefined}>
            {up}/{units.length}
          </span>
        );
      },
    },
    {
      id: "charm",
      label: "Charm",
      keys: (application) => [application["charm-name"], application["charm-revision"], application.name],
      minor: true,
      cell: (application) => (
        <>
          <Link to={toCharm(model, application.charm)}>
            <Name text={application.charm} before="-" />
          </Link>
          {application["can-upgrade-to"] && (
            <span className="tag" title={`can upgrade to ${application["can-upgrade-to"]}`}>
              newer
            </span>
          )}
        </>
      ),
    },
    {
      id: "version",
      label: "Version",
      className: "nowrap",
      minor: true,
      keys: (application) => [application["workload-version"], application.name],
      cell: (application) => <Name text={application["workload-version"] || "—"} />,
    },
    {
      id: "message",
      label: "Message",
      className: "message",
      keys: ({ status, name }) => [status.message, name],
      cell: ({ status }) => <Clamped text={status.message} />,
    },
    {
      id: "since",
      label: "Since",
      className: "nowrap",
      minor: true,
      keys: ({ status, name }) => [timeKey(status.since), name],
      cell: ({ status }) => <Time at={status.since} />,
    },
  ];
}

function ApplicationName({ model, application }: { model: string; application: ApplicationInfo }) {
  const { name, life, subordinate, url } = application;
  return (
    <>
      <Link to={toApplication(model, name)}>
        <Name text={name} />
      </Link>
      {subordinate && <span className="tag">subordinate</span>}
      {life !== "alive" && <span className="tag">{life}</span>}
      {url && (
        <>
          {" "}
          <OpenLink to={url} of={name} />
        </>
      )}
    </>
  );
}

/** Units of a machine that are named; the rest is counted. */
const NAMED = 4;

export function machineColumns(model: string): Column<MachineInfo>[] {
  return [
    {
      id: "name",
      label: "Machine",
      keys: ({ id }) => [id],
      cell: ({ id, life }) => (
        <>
          <Link to={toMachine(model, id)}>{id}</Link>
          {life !== "alive" && <span className="tag">{life}</span>}
        </>
      ),
    },
    {
      id: "status",
      label: "Agent",
      className: "nowrap",
      keys: (machine) => [severity(machineStatus(machine)), machineStatus(machine), machine.id],
      cell: (machine) => <StatusMark status={machine.agent.status} />,
    },
    {
      id: "instance",
      label: "Instance",
      className: "nowrap",
      keys: (machine) => [severity(machine.instance.status), machine.instance.status, machine.id],
      cell: (machine) => <StatusMark status={machine.instance.status} />,
    },
    {
      id: "instance-id",
      label: "Instance ID",
      className: "mono",
      minor: true,
      keys: (machine) => [machine["instance-id"], machine.id],
      cell: (machine) => <Name text={machine["instance-id"] || "—"} before="-" />,
    },
    {
      id: "address",
      label: "Address",
      className: "mono",
      minor: true,
      cell: ({ addresses }) => <Items of={addresses.map((address) => ({ key: address, shown: address }))} />,
    },
    {
      id: "units",
      label: "Units",
      keys: ({ units, id }) => [units.length, id],
      cell: ({ units }) => <Units model={model} units={units} />,
    },
    {
      id: "since",
      label: "Added",
      className: "nowrap",
      minor: true,
      keys: (machine) => [timeKey(machine["created-at"]), machine.id],
      cell: (machine) => <Time at={machine["created-at"]} />,
    },
  ];
}

function Units({ model, units }: { model: string; units: readonly string[] }) {
  const named = units.toSorted(natural).slice(0, NAMED).map((unit) => ({
    key: unit,
    shown: (
      <Link to={toUnit(model, unit)}>
        <Name text={unit} />
      </Link>
    ),
  }));
  const more = units.length - named.length;
  return <Items of={more > 0 ? [...named, { key: "", shown: <>{more} more</> }] : named} />;
}
