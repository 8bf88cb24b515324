import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { alerts } from "../../api";
import * as paths from "../../api/paths";
import type { AlertRuleInfo } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField } from "../../components/Fields";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { conditionOf } from "../../lib/alerts";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { AddRuleDialog } from "./AddRuleDialog";

const CLI = "periapt alert-rules";

/** What is watched for. */
export function Rules() {
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [silencing, setSilencing] = useState<AlertRuleInfo | null>(null);
  const [removing, setRemoving] = useState<AlertRuleInfo | null>(null);
  const found = useQuery({ queryKey: ["alert-rules"], queryFn: alerts.rules });
  const done = (): void => {
    setAdding(false);
    setSilencing(null);
    setRemoving(null);
    for (const key of ["alert-rules", "alert-receivers", "alerts"]) {
      void queries.invalidateQueries({ queryKey: [key] });
    }
  };
  return (
    <section className="section" aria-label="Alert rules">
      <div className="section__head">
        <h2 className="section__title">Rules</h2>
        <button type="button" className="p-button" onClick={() => setAdding(true)}>
          Add rule
        </button>
      </div>
      <CopyTools cli={CLI} request={{ path: paths.ALERT_RULES }} />
      {found.isPending && <Loading what="the rules" rows={2} />}
      {found.error && <Failure error={found.error} cli={CLI} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && (
        <Empty title="No rules" cli="periapt add-alert-rule NAME unit-error 5m">
          Nothing is monitored until you add a rule.
        </Empty>
      )}
      {found.data && found.data.length > 0 && (
        <table className="list" aria-label="Rules">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Condition</th>
              <th scope="col">Threshold</th>
              <th scope="col">Model</th>
              <th scope="col">Notifies</th>
              <th scope="col">Firing</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {found.data.map((rule) => (
              <tr key={rule.name} data-rule={rule.name}>
                <th scope="row">{rule.name}</th>
                <td data-label="Condition" className="message">
                  {conditionOf(rule.condition)?.label ?? rule.condition}
                </td>
                <td data-label="Threshold">{rule.threshold}</td>
                <td data-label="Model">{rule.model ?? (rule.condition === "disk-full" ? "—" : "all")}</td>
                <td data-label="Notifies" className="message">
                  {rule["silenced-until"] ? (
                    <>
                      nobody; silent, ends <Time at={rule["silenced-until"]} />
                    </>
                  ) : (
                    rule.receivers.join(", ") || "this page"
                  )}
                </td>
                <td data-label="Firing">{rule.firing}</td>
                <td data-label="Change">
                  <div className="row-actions">
                    <button type="button" className="p-button is-small" onClick={() => setSilencing(rule)}>
                      Silence<span className="u-off-screen"> {rule.name}</span>
                    </button>
                    <button type="button" className="p-button is-small" onClick={() => setRemoving(rule)}>
                      Remove<span className="u-off-screen"> {rule.name}</span>
                    </button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && <AddRuleDialog onDone={done} onClose={() => setAdding(false)} />}
      {silencing && <SilenceDialog rule={silencing} onDone={done} onClose={() => setSilencing(null)} />}
      {removing && <RemoveRuleDialog rule={removing} onDone={done} onClose={() => setRemoving(null)} />}
    </section>
  );
}

interface OfRule {
  rule: AlertRuleInfo;
  onDone: () => void;
  onClose: () => void;
}

const SILENCES: [string, string][] = [
  ["1h", "An hour"],
  ["4h", "Four hours"],
  ["24h", "A day"],
  ["168h", "A week"],
  ["0", "End the silence now"],
];

function SilenceDialog({ rule, onDone, onClose }: OfRule) {
  const [duration, setDuration] = useState("1h");
  const silence = useAct(() => alerts.silenceRule(rule.name, duration), onDone);
  return (
    <Dialog
      title={`Silence rule ${rule.name}`}
      submit="Silence"
      busy={silence.busy}
      error={silence.error}
      onSubmit={() => silence.run()}
      onClose={onClose}
    >
      <p>No messages are sent for this rule. Alerts still firing when the silence ends are sent then.</p>
      <SelectField label="For" value={duration} onChange={setDuration} options={SILENCES} />
      <CommandHint
        cli={command("silence-alert-rule", rule.name, duration)}
        request={{ method: "POST", path: `${paths.alertRule(rule.name)}/silence`, body: { duration } }}
      />
    </Dialog>
  );
}

function RemoveRuleDialog({ rule, onDone, onClose }: OfRule) {
  const remove = useAct(() => alerts.removeRule(rule.name), onDone);
  return (
    <Dialog
      title={`Remove rule ${rule.name}`}
      submit="Remove"
      danger
      busy={remove.busy}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <p>Its firing alerts are closed; no message is sent.</p>
      <CommandHint
        cli={command("remove-alert-rule", rule.name)}
        request={{ method: "DELETE", path: paths.alertRule(rule.name) }}
      />
    </Dialog>
  );
}
