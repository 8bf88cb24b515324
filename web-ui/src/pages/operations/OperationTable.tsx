import { Link } from "react-router";
import type { OperationInfo } from "../../api/types";
import { Name } from "../../components/charts";
import { countStatuses } from "../../components/charts/status";
import { Clamped } from "../../components/Clamped";
import { TaskMark } from "../../components/TaskMark";
import { Time } from "../../components/Time";
import { tookText, whoAsked } from "../../lib/operations";
import { toOperation } from "../../lib/to";
import { useSeconds } from "../../lib/useNow";

export function OperationTable({ model, operations }: { model: string; operations: readonly OperationInfo[] }) {
  const now = useSeconds(operations.some(({ status }) => status === "running"));
  return (
    <table className="list" aria-label="Operations">
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Status</th>
          <th scope="col">What</th>
          <th scope="col">Tasks</th>
          <th scope="col">Who</th>
          <th scope="col">When</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {operations.map((operation) => (
          <tr key={operation.id} data-operation={operation.id}>
            <th scope="row">
              <Link to={toOperation(model, operation.id)}>{operation.id}</Link>
            </th>
            <td data-label="Status" className="nowrap">
              <TaskMark status={operation.status} />
            </td>
            <td data-label="What" className="message">
              <Clamped text={operation.summary} />
            </td>
            <td data-label="Tasks">{countStatuses(operation.tasks.map(({ status }) => status)) || "—"}</td>
            <td data-label="Who" className="nowrap">
              <Name text={whoAsked(operation.user)} />
            </td>
            <td data-label="When" className="nowrap">
              <Time at={operation["enqueued-at"]} />
            </td>
            <td data-label="Took" className="nowrap">
              {tookText(operation, now)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
