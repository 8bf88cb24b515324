import { useState } from "react";
import { useNavigate } from "react-router";
import { secrets } from "../../api";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { BLANK, nameError, type Typed, valuesOf } from "../../lib/secrets";
import { toSecret } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { ValueFields } from "./ValueFields";

/** Asks for a secret, and leads to it: it is granted there. Commands that it names have no value in them. */
export function AddSecretDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [typed, setTyped] = useState<readonly Typed[]>([BLANK]);
  const values = valuesOf(typed);
  const wrong = nameError(name);
  const add = useAct(
    () => secrets.add(model, { name, description, values: values ?? {} }),
    ({ id }) => {
      onClose();
      void navigate(toSecret(model, id));
    },
  );
  return (
    <Dialog
      title="Add a secret"
      submit="Add secret"
      disabled={wrong !== null || values === null}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <p>No application can read it until you grant it.</p>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={name === "" ? null : wrong}
        help="Unique among the secrets that users added"
        required
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      <ValueFields typed={typed} onChange={setTyped} />
      <CommandHint
        cli={command("add-secret", "-m", model, name || "NAME", "--file", "values.yaml", description && "--info", description)}
      />
    </Dialog>
  );
}
