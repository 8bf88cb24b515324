import { Link } from "react-router";
import type { UnitInfo } from "../api/types";
import { nest } from "../lib/nesting";
import { toMachine, toUnit } from "../lib/to";
import { StatusMark } from "./charts";
import { Time } from "./Time";

/** Units as `status` lists them: the leader marked, subordinates under their principal. */
export function UnitTable({ model, units, caption }: { model: string; units: readonly UnitInfo[]; caption: string }) {
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
          <UnitRow key={unit.name} model={model} unit={unit} depth={depth} />
        ))}
      </tbody>
    </table>
  );
}

function UnitRow({ model, unit, depth }: { model: string; unit: UnitInfo; depth: number }) {
  const message = unit.workload.message || unit.agent.message;
  const ports = unit["opened-ports"].join(", ");
  return (
    <tr data-unit={unit.name}>
      <th scope="row" className={depth > 0 ? "is-nested" : undefined}>
        <Link to={toUnit(model, unit.name)}>{unit.name}</Link>
        {unit.leader && (
          <abbr className="leader" title="Leader of the application">
            *
          </abbr>
        )}
        {depth === 0 && unit.principal && (
          <span className="beside">
            in <Link to={toUnit(model, unit.principal)}>{unit.principal}</Link>
          </span>
        )}
        {unit.life !== "alive" && <span className="tag">{unit.life}</span>}
      </th>
      <td data-label="Workload">
        <StatusMark status={unit.workload.status} />
      </td>
      <td data-label="Agent">
        <StatusMark status={unit.agent.status} />
      </td>
      <td data-label="Machine">
        {unit.machine ? <Link to={toMachine(model, unit.machine)}>{unit.machine}</Link> : "–"}
      </td>
      <td data-label="Address" className="mono">
        {[unit["public-address"], ports].filter(Boolean).join(" ") || "–"}
      </td>
      <td data-label="Message" className="message">
        {message || "–"}
      </td>
      <td data-label="Since" className="nowrap">
        <Time at={unit.workload.since} />
      </td>
    </tr>
  );
}
