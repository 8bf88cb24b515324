import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { alerts } from "../../api";
import * as paths from "../../api/paths";
import type { AlertDelivery, AlertReceiverInfo } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { AddReceiverDialog } from "./AddReceiverDialog";

const CLI = "periapt alert-receivers";

/** Who is told. */
export function Receivers() {
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<AlertReceiverInfo | null>(null);
  const [tested, setTested] = useState<AlertDelivery | null>(null);
  const found = useQuery({ queryKey: ["alert-receivers"], queryFn: alerts.receivers });
  const stale = (key: string): void => void queries.invalidateQueries({ queryKey: [key] });
  const test = useAct((name: string) => alerts.testReceiver(name), (delivery) => {
    setTested(delivery);
    stale("alert-deliveries");
  });
  const done = (): void => {
    setAdding(false);
    setRemoving(null);
    stale("alert-receivers");
  };
  return (
    <section className="section" aria-label="Alert receivers">
      <div className="section__head">
        <h2 className="section__title">Receivers</h2>
        <button type="button" className="p-button" onClick={() => setAdding(true)}>
          Add receiver
        </button>
      </div>
      <CopyTools cli={CLI} request={{ path: paths.ALERT_RECEIVERS }} />
      {found.isPending && <Loading what="the receivers" rows={2} />}
      {found.error && <Failure error={found.error} cli={CLI} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && (
        <Empty title="No receivers" cli="periapt add-alert-receiver NAME webhook url=URL key#file=FILE">
          Alerts appear only on this page until you add a webhook or a mail server.
        </Empty>
      )}
      {found.data && found.data.length > 0 && (
        <table className="list" aria-label="Receivers">
          <thead>
            <tr>
              <th scope="col">Receiver</th>
              <th scope="col">Type</th>
              <th scope="col">To</th>
              <th scope="col">Rules</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {found.data.map((receiver) => (
              <tr key={receiver.name} data-receiver={receiver.name}>
                <th scope="row">{receiver.name}</th>
                <td data-label="Type">{receiver.type}</td>
                <td data-label="To" className="message">
                  {receiver.config.url ?? receiver.config.to ?? "—"}
                </td>
                <td data-label="Rules" className="message">
                  {receiver.rules.join(", ") || "—"}
                </td>
                <td data-label="Change">
                  <div className="row-actions">
                    <button
                      type="button"
                      className="p-button is-small"
                      disabled={test.busy}
                      onClick={() => {
                        setTested(null);
                        test.run(receiver.name);
                      }}
                    >
                      Test<span className="u-off-screen"> {receiver.name}</span>
                    </button>
                    <button type="button" className="p-button is-small" onClick={() => setRemoving(receiver)}>
                      Remove<span className="u-off-screen"> {receiver.name}</span>
                    </button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p role="status" className="muted">
        {test.busy && "Sending a test message…"}
        {tested && `${tested.receiver} accepted the message and answered ${tested.answer}`}
      </p>
      {test.error != null && <Failure error={test.error} />}
      {adding && <AddReceiverDialog onDone={done} onClose={() => setAdding(false)} />}
      {removing && <RemoveReceiverDialog receiver={removing} onDone={done} onClose={() => setRemoving(null)} />}
    </section>
  );
}

interface OfReceiver {
  receiver: AlertReceiverInfo;
  onDone: () => void;
  onClose: () => void;
}

function RemoveReceiverDialog({ receiver, onDone, onClose }: OfReceiver) {
  const remove = useAct(() => alerts.removeReceiver(receiver.name), onDone);
  return (
    <Dialog
      title={`Remove receiver ${receiver.name}`}
      submit="Remove"
      danger
      busy={remove.busy}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <p>Messages waiting to be sent to it are dropped.</p>
      <CommandHint
        cli={command("remove-alert-receiver", receiver.name)}
        request={{ method: "DELETE", path: paths.alertReceiver(receiver.name) }}
      />
    </Dialog>
  );
}
