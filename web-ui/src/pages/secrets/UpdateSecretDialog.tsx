import { useState } from "react";
import { secrets } from "../../api";
import type { SecretInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { BLANK, isNothing, nameError, type Typed, valuesOf } from "../../lib/secrets";
import { useAct } from "../../lib/useAct";
import { ValueFields } from "./ValueFields";

/** Other values, another name, and what becomes of revisions that nobody is on. What was not changed is not sent. */
export function UpdateSecretDialog({ model, secret, onClose }: { model: string; secret: SecretInfo; onClose: () => void }) {
  const [name, setName] = useState(secret.label);
  const [description, setDescription] = useState(secret.description);
  const [prune, setPrune] = useState(secret["auto-prune"]);
  const [typed, setTyped] = useState<readonly Typed[]>([BLANK]);
  const nothing = isNothing(typed);
  const values = valuesOf(typed);
  const wrong = nameError(name);
  const change = {
    ...(name !== secret.label && { name }),
    ...(description !== secret.description && { description }),
    ...(values !== null && { values }),
    ...(prune !== secret["auto-prune"] && { "auto-prune": prune }),
  };
  const update = useAct(() => secrets.update(model, secret.id, change), onClose);
  return (
    <Dialog
      title={`Update ${secret.label}`}
      submit="Update secret"
      busy={update.busy}
      disabled={wrong !== null || (nothing ? Object.keys(change).length === 0 : values === null)}
      error={update.error}
      onSubmit={() => update.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} error={wrong} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <p>
        Enter all values of the new revision, or leave them empty to keep the current ones. Units that read the secret are notified, and keep their revision until they ask for the new one.
      </p>
      <ValueFields typed={typed} onChange={setTyped} />
      <label className="check">
        <input type="checkbox" checked={prune} onChange={(event) => setPrune(event.target.checked)} />
        <span>Remove revisions as soon as no unit uses them</span>
      </label>
      <CommandHint
        cli={command(
          "update-secret", "-m", model, secret.label,
          ...(nothing ? [] : ["--file", "values.yaml"]),
          ...(name !== secret.label ? ["--name", name] : []),
          ...(description !== secret.description ? [`--info=${description}`] : []),
          ...(prune !== secret["auto-prune"] ? [`--auto-prune=${prune}`] : []),
        )}
      />
    </Dialog>
  );
}
