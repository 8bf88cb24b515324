import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { alerts } from "../../api";
import type { AlertInfo } from "../../api/types";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { subjectName, toSubject } from "../../lib/alerts";
import { useAct } from "../../lib/useAct";

interface Properties {
  state: "firing" | "resolved";
  mayAcknowledge: boolean;
}

const CLI = { firing: "periapt alerts", resolved: "periapt alerts --all" };
const MOST = 200;

/** Alerts in one state, newest first. */
export function AlertTable({ state, mayAcknowledge }: Properties) {
  const queries = useQueryClient();
  const found = useQuery({ queryKey: ["alerts", state], queryFn: () => alerts.list(state, MOST) });
  const acknowledge = useAct(
    (id: number) => alerts.acknowledge(id),
    () => void queries.invalidateQueries({ queryKey: ["alerts"] }),
  );
  if (found.isPending) return <Loading what="the alerts" rows={2} />;
  if (found.error) return <Failure error={found.error} cli={CLI[state]} onRetry={() => void found.refetch()} />;
  const { items, next } = found.data;
  if (items.length === 0) {
    return (
      <Empty title={state === "firing" ? "No firing alerts" : "No resolved alerts"} cli={CLI[state]}>
        {state === "firing" && "Alerts appear here as soon as a rule finds something."}
      </Empty>
    );
  }
  return (
    <>
      <table className="list" aria-label={state === "firing" ? "Firing" : "Resolved"}>
        <thead>
          <tr>
            <th scope="col">Subject</th>
            <th scope="col">Model</th>
            <th scope="col">Rule</th>
            <th scope="col">Since</th>
            <th scope="col">Message</th>
            <th scope="col">{state === "firing" ? "Acknowledged by" : "Resolved"}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((alert) => (
            <tr key={alert.id} data-alert={alert.subject}>
              <th scope="row">
                <Subject alert={alert} />
              </th>
              <td data-label="Model">{alert.model || "—"}</td>
              <td data-label="Rule">{alert.rule}</td>
              <td data-label="Since" className="nowrap">
                <Time at={alert.since} />
              </td>
              <td data-label="Message" className="message">
                {alert.detail || "—"}
              </td>
              {state === "resolved" ? (
                <td data-label="Resolved" className="nowrap">
                  <Time at={alert["resolved-at"]} />
                </td>
              ) : (
                <td data-label="Acknowledged by">
                  {alert["acknowledged-by"] ??
                    (mayAcknowledge ? (
                      <button
                        type="button"
                        className="p-button is-small"
                        disabled={acknowledge.busy}
                        onClick={() => acknowledge.run(alert.id)}
                      >
                        Acknowledge<span className="u-off-screen"> {subjectName(alert)}</span>
                      </button>
                    ) : (
                      "—"
                    ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {next && <p className="muted">The newest {items.length} are shown.</p>}
      {acknowledge.error != null && <Failure error={acknowledge.error} />}
    </>
  );
}

function Subject({ alert }: { alert: AlertInfo }) {
  const to = toSubject(alert);
  const name = subjectName(alert);
  return to ? <Link to={to}>{name}</Link> : <>{name}</>;
}
