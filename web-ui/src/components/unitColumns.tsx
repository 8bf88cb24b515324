/** Columns of units, wherever they are listed. */
import { Link } from "react-router";
import type { ApplicationInfo, UnitInfo } from "../api/types";
import { severity, unitMessage, unitStatus } from "../lib/attention";
import { timeKey, unitKeys } from "../lib/fleet/order";
import { unitUrl } from "../lib/reach";
import { toMachine, toUnit } from "../lib/to";
import { Name, StatusMark } from "./charts";
import { Clamped } from "./Clamped";
import { Items } from "./Items";
import { OpenLink } from "./OpenLink";
import type { Column } from "./table/DataTable";
import { Time } from "./Time";

/** `nested` are those that stand below their principal. */
export function unitColumns(
  model: string,
  applications: readonly ApplicationInfo[],
  nested: ReadonlySet<string>,
): Column<UnitInfo>[] {
  const byName = new Map(applications.map((application) => [application.name, application]));
  return [
    {
      id: "name",
      label: "Unit",
      keys: ({ name }) => unitKeys(name),
      cell: (unit) => <UnitName model={model} unit={unit} nested={nested.has(unit.name)} />,
    },
    {
      id: "status",
      label: "Workload",
      className: "nowrap",
      keys: (unit) => [severity(unitStatus(unit)), unitStatus(unit), ...unitKeys(unit.name)],
      cell: ({ workload }) => <StatusMark status={workload.status} />,
    },
    {
      id: "agent",
      label: "Agent",
      className: "nowrap",
      minor: true,
      keys: ({ agent, name }) => [severity(agent.status), agent.status, ...unitKeys(name)],
      cell: ({ agent }) => <StatusMark status={agent.status} />,
    },
    {
      id: "machine",
      label: "Machine",
      className: "nowrap",
      minor: true,
      keys: ({ machine, name }) => [machine ?? "", ...unitKeys(name)],
      cell: ({ machine }) => (machine ? <Link to={toMachine(model, machine)}>{machine}</Link> : "—"),
    },
    {
      id: "address",
      label: "Address",
      className: "mono",
      minor: true,
      cell: (unit) => (
        <>
          <Items
            of={[unit["public-address"], ...unit["opened-ports"]]
              .filter((each) => each != null)
              .map((each) => ({ key: each, shown: each }))}
          />{" "}
          <OpenLink
            to={unitUrl(byName.get(unit.application), unit.name, unit["opened-ports"])}
            of={unit.name}
          />
        </>
      ),
    },
    {
      id: "message",
      label: "Message",
      className: "message",
      keys: (unit) => [unitMessage(unit), ...unitKeys(unit.name)],
      cell: (unit) => <Clamped text={unitMessage(unit)} />,
    },
    {
      id: "since",
      label: "Since",
      className: "nowrap",
      minor: true,
      keys: ({ workload, name }) => [timeKey(workload.since), ...unitKeys(name)],
      cell: ({ workload }) => <Time at={workload.since} />,
    },
  ];
}

function UnitName({ model, unit, nested }: { model: string; unit: UnitInfo; nested: boolean }) {
  return (
    <span className={nested ? "is-nested" : undefined}>
      <Link to={toUnit(model, unit.name)}>
        <Name text={unit.name} />
      </Link>
      {unit.leader && (
        <abbr className="leader" title="Leader of the application">
          *
        </abbr>
      )}
      {!nested && unit.principal && (
        <span className="beside">
          in{" "}
          <Link to={toUnit(model, unit.principal)}>
            <Name text={unit.principal} />
          </Link>
        </span>
      )}
      {unit.life !== "alive" && <span className="tag">{unit.life}</span>}
    </span>
  );
}
