import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { alerts, models, type NewAlertRule } from "../../api";
import * as paths from "../../api/paths";
import type { AlertCondition } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { CONDITIONS, conditionOf, thresholdError } from "../../lib/alerts";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

const NAME = /^[a-z][a-z0-9-]*$/;

export function AddRuleDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [condition, setCondition] = useState<AlertCondition>("unit-error");
  const [threshold, setThreshold] = useState(conditionOf("unit-error")?.threshold ?? "");
  const [model, setModel] = useState("");
  const [told, setTold] = useState<string[]>([]);
  const receivers = useQuery({ queryKey: ["alert-receivers"], queryFn: alerts.receivers });
  const known = useQuery({ queryKey: ["models"], queryFn: models.list });
  const chosen = conditionOf(condition);
  const rule: NewAlertRule = {
    name: name.trim(),
    condition,
    threshold: threshold.trim(),
    ...(model && chosen?.ofModel ? { model } : {}),
    receivers: told,
  };
  const add = useAct(() => alerts.addRule(rule), onDone);
  const badName = name !== "" && !NAME.test(name.trim()) ? "Lower-case letters, digits and dashes" : null;
  const badThreshold = thresholdError(condition, threshold);
  return (
    <Dialog
      title="Add rule"
      submit="Add rule"
      disabled={name.trim() === "" || badName !== null || badThreshold !== null}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} error={badName} required />
      <SelectField
        label="Condition"
        value={condition}
        onChange={(value) => {
          const next = conditionOf(value);
          if (!next) return;
          setCondition(next.value);
          setThreshold(next.threshold);
        }}
        options={CONDITIONS.map(({ value, label }) => [value, label])}
      />
      <TextField
        label="Threshold"
        value={threshold}
        onChange={setThreshold}
        error={badThreshold}
        help={chosen?.help}
        required
      />
      {chosen?.ofModel && (
        <SelectField
          label="Model"
          value={model}
          onChange={setModel}
          options={[["", "All models"], ...(known.data ?? []).map((each): [string, string] => [each.name, each.name])]}
        />
      )}
      {receivers.data && receivers.data.length > 0 && (
        <fieldset>
          <legend>Notifies</legend>
          {receivers.data.map((receiver) => (
            <label key={receiver.name} className="check">
              <input
                type="checkbox"
                checked={told.includes(receiver.name)}
                onChange={(event) =>
                  setTold(
                    event.target.checked
                      ? [...told, receiver.name]
                      : told.filter((each) => each !== receiver.name),
                  )
                }
              />
              <span>
                {receiver.name} ({receiver.type})
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <CommandHint
        cli={command(
          "add-alert-rule",
          rule.name || "NAME",
          condition,
          rule.threshold || "THRESHOLD",
          ...told.flatMap((receiver) => ["--receiver", receiver]),
          ...(rule.model ? ["--model", rule.model] : []),
        )}
        request={{ method: "POST", path: paths.ALERT_RULES, body: rule }}
      />
    </Dialog>
  );
}
