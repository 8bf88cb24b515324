import { Link } from "react-router";
import type { MachineInfo } from "../../api/types";
import { Name, StatusMark } from "../../components/charts";
import { Items } from "../../components/Items";
import { natural } from "../../lib/attention";
import { toMachine, toUnit } from "../../lib/to";

export function MachineTable({ model, machines }: { model: string; machines: readonly MachineInfo[] }) {
  return (
    <table className="list" aria-label="Machines">
      <thead>
        <tr>
          <th scope="col">Machine</th>
          <th scope="col">Agent</th>
          <th scope="col">Instance</th>
          <th scope="col">Instance id</th>
          <th scope="col">Address</th>
          <th scope="col">Units</th>
        </tr>
      </thead>
      <tbody>
        {[...machines]
          .sort((a, b) => natural(a.id, b.id))
          .map((machine) => (
            <tr key={machine.id} data-machine={machine.id}>
              <th scope="row">
                <Link to={toMachine(model, machine.id)}>{machine.id}</Link>
                {machine.life !== "alive" && <span className="tag">{machine.life}</span>}
              </th>
              <td data-label="Agent" className="nowrap">
                <StatusMark status={machine.agent.status} />
              </td>
              <td data-label="Instance" className="nowrap">
                <StatusMark status={machine.instance.status} />
              </td>
              <td data-label="Instance id" className="mono">
                <Name text={machine["instance-id"] || "–"} before="-" />
              </td>
              <td data-label="Address" className="mono">
                <Items of={machine.addresses.map((address) => ({ key: address, shown: address }))} />
              </td>
              <td data-label="Units">
                <Items
                  of={machine.units.map((unit) => ({ key: unit, shown: <Link to={toUnit(model, unit)}><Name text={unit} /></Link> }))}
                />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
