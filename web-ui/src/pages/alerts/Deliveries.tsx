import { useQuery } from "@tanstack/react-query";
import { alerts } from "../../api";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";

const CLI = "periapt alert-deliveries";

/** What was sent, and what became of it. */
export function Deliveries() {
  const found = useQuery({
    queryKey: ["alert-deliveries"],
    queryFn: () => alerts.deliveries(20),
    refetchInterval: 15_000,
  });
  return (
    <section className="section" aria-label="Messages">
      <div className="section__head">
        <h2 className="section__title">Messages</h2>
        <CopyTools cli={CLI} request={{ path: paths.ALERT_DELIVERIES }} />
      </div>
      {found.isPending && <Loading what="the messages" rows={2} />}
      {found.error && <Failure error={found.error} cli={CLI} onRetry={() => void found.refetch()} />}
      {found.data?.items.length === 0 && <p className="muted">No messages have been sent yet.</p>}
      {found.data && found.data.items.length > 0 && (
        <table className="list" aria-label="Messages">
          <thead>
            <tr>
              <th scope="col">Created</th>
              <th scope="col">Rule</th>
              <th scope="col">Receiver</th>
              <th scope="col">Says</th>
              <th scope="col">State</th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {found.data.items.map((delivery) => (
              <tr key={delivery.id} data-delivery={delivery.receiver}>
                <td data-label="Created" className="nowrap">
                  <Time at={delivery["created-at"]} />
                </td>
                <th scope="row">{delivery.rule}</th>
                <td data-label="Receiver">{delivery.receiver}</td>
                <td data-label="Says">
                  {delivery.rule === "test" ? "test" : `${delivery.firing} firing, ${delivery.resolved} resolved`}
                </td>
                <td data-label="State">
                  {delivery.state}
                  {delivery.tried > 1 && ` after ${delivery.tried} tries`}
                </td>
                <td data-label="Answer" className="message">
                  {delivery.answer || "—"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
