import { Link } from "react-router";
import type { UnitInfo } from "../api/types";
import { unitMessage } from "../lib/attention";
import { nest } from "../lib/nesting";
import { unitUrl } from "../lib/reach";
import { toMachine, toUnit } from "../lib/to";
import { useModel } from "../live/context";
import { Name, StatusMark } from "./charts";
import { Clamped } from "./Clamped";
import { Items } from "./Items";
import { OpenLink } from "./OpenLink";
import { Time } from "./Time";

/** Units as `status` lists them: the leader marked, subordinates under their principal. */
export function UnitTable({ model, units, caption }: { model: string; units: readonly UnitInfo[]; caption: string }) {
  const { applications } = useModel(model);
  return (
    <table className="list" aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">Unit</th>
          <th scope="col">Workload</th>
          <th scope="col">Agent</th>
          <th scope="col">Machine</th>
          <th scope="col">Address</th>
          <th scope="col">Message</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {nest(units).map(({ unit, depth }) => (
          <UnitRow
            key={unit.name}
            model={model}
            unit={unit}
            depth={depth}
            url={unitUrl(
              applications.find(({ name }) => name === unit.application),
              unit.name,
              unit["opened-ports"],
            )}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProperties {
  model: string;
  unit: UnitInfo;
  depth: number;
  /** Where it is found by name. */
  url: string | null;
}

function UnitRow({ model, unit, depth, url }: RowProperties) {
  const addresses = [unit["public-address"], ...unit["opened-ports"]].filter((each) => each != null);
  return (
    <tr data-unit={unit.name}>
      <th scope="row" className={depth > 0 ? "is-nested" : undefined}>
        <Link to={toUnit(model, unit.name)}>
          <Name text={unit.name} />
        </Link>
        {unit.leader && (
          <abbr className="leader" title="Leader of the application">
            *
          </abbr>
        )}
        {depth === 0 && unit.principal && (
          <span className="beside">
            in{" "}
            <Link to={toUnit(model, unit.principal)}>
              <Name text={unit.principal} />
            </Link>
          </span>
        )}
        {unit.life !== "alive" && <span className="tag">{unit.life}</span>}
      </th>
      <td data-label="Workload" className="nowrap">
        <StatusMark status={unit.workload.status} />
      </td>
      <td data-label="Agent" className="nowrap">
        <StatusMark status={unit.agent.status} />
      </td>
      <td data-label="Machine" className="nowrap">
        {unit.machine ? <Link to={toMachine(model, unit.machine)}>{unit.machine}</Link> : "–"}
      </td>
      <td data-label="Address" className="mono">
        <Items of={addresses.map((each) => ({ key: each, shown: each }))} />
        <OpenLink to={url} of={unit.name} />
      </td>
      <td data-label="Message" className="message">
        <Clamped text={unitMessage(unit)} />
      </td>
      <td data-label="Since" className="nowrap">
        <Time at={unit.workload.since} />
      </td>
    </tr>
  );
}
