import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { controller } from "../../api";
import type { WorkerRow } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { Filters } from "../../components/Filters";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { counted } from "../../lib/counted";
import { useFilters } from "../../lib/useFilters";
import { Engine } from "./Engine";

const STATES: [string, string][] = [
  ["", "Running or waiting"],
  ["all", "All"],
  ["running", "running"],
  ["resting", "resting"],
  ["uninstalled", "uninstalled"],
  ["library", "library"],
  ["not built", "not built"],
];

/** The dependency engines drawn, and every worker of the catalogue with what it is doing. */
export default function WorkersPage() {
  const workers = useQuery({
    queryKey: ["workers"],
    queryFn: controller.workers,
    refetchInterval: 5_000,
  });
  const engines = useQuery({
    queryKey: ["engines"],
    queryFn: controller.engines,
    refetchInterval: 5_000,
    retry: false,
  });
  return (
    <>
      <PageHead
        title="Workers"
        crumbs={[{ to: "/controller", label: "Controller" }]}
        summary="Workers and what they depend on"
        tools={<CopyTools cli="periapt workers" request={{ path: "/v1/workers" }} />}
      />
      <section className="section" aria-label="Dependency engine">
        <h2 className="section__title">Dependency engine</h2>
        {engines.isPending && <Loading what="the engine" />}
        {engines.error && (
          <Failure error={engines.error} cli="periapt workers" onRetry={() => void engines.refetch()} />
        )}
        {engines.data && <Engine map={engines.data} />}
      </section>
      <section className="section" aria-label="Catalogue">
        <h2 className="section__title">Catalogue</h2>
        {workers.isPending && <Loading what="the workers" rows={8} />}
        {workers.error && (
          <Failure error={workers.error} cli="periapt workers" onRetry={() => void workers.refetch()} />
        )}
        {workers.data && <Catalogue rows={workers.data} />}
      </section>
    </>
  );
}

/** At first only what is there: what this controller has not is for who asks for it. */
function inState(state: string, wanted: string): boolean {
  if (wanted === "all") return true;
  return wanted === "" ? state === "running" || state === "resting" : state === wanted;
}

function Catalogue({ rows }: { rows: WorkerRow[] }) {
  const [values, set, clear] = useFilters(["name", "agent", "state"]);
  const [all, setAll] = useState(false);
  const agents = useMemo(() => [...new Set(rows.map(({ agent }) => agent))].sort(), [rows]);
  const shown = rows.filter(
    (row) =>
      row.worker.includes(values.name) &&
      (!values.agent || row.agent === values.agent) &&
      inState(row.state, values.state),
  );
  const cut = all ? shown : shown.slice(0, 60);
  return (
    <>
      <Filters
        filters={[
          { name: "name", label: "Worker" },
          {
            name: "agent",
            label: "Agent",
            options: [["", "All"], ...agents.map((agent): [string, string] => [agent, agent])],
          },
          { name: "state", label: "State", options: STATES },
        ]}
        values={values}
        onChange={set}
        onClear={clear}
      />
      {shown.length === 0 ? (
        <Empty title="No matching workers" cli="periapt workers" />
      ) : (
        <table className="list" aria-label="Workers">
          <thead>
            <tr>
              <th scope="col">Worker</th>
              <th scope="col">Agent</th>
              <th scope="col">State</th>
              <th scope="col" className="number">
                Running
              </th>
              <th scope="col" className="number">
                Starts
              </th>
              <th scope="col">Depends on, or why it is not running</th>
            </tr>
          </thead>
          <tbody>
            {cut.map((row) => (
              <tr key={`${row.agent} ${row.worker}`}>
                <th scope="row">{row.worker}</th>
                <td data-label="Agent">{row.agent}</td>
                <td data-label="State">
                  <span className={`worker-state is-${row.state.replace(" ", "-")}`}>{row.state}</span>
                </td>
                <td data-label="Running" className="number">
                  {row.running}
                </td>
                <td data-label="Starts" className="number">
                  {counted(row["start-count"])}
                </td>
                <td data-label="Why" className="message">
                  {row.reason || "—"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {cut.length < shown.length && (
        <button type="button" className="p-button" onClick={() => setAll(true)}>
          Show all {counted(shown.length)}
        </button>
      )}
    </>
  );
}
