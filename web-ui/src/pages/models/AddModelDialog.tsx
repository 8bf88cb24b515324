import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { models } from "../../api";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { toModel } from "../../lib/to";
import { useAct } from "../../lib/useAct";

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export function AddModelDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const add = useAct(
    () => models.add(name),
    (model) => {
      void queries.invalidateQueries({ queryKey: ["models"] });
      onClose();
      void navigate(toModel(model.name));
    },
  );
  const wrong = name !== "" && !NAME.test(name);
  return (
    <Dialog
      title="Add a model"
      submit="Add model"
      disabled={!name || wrong}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={wrong ? "Lower-case letters, digits and single dashes between them" : null}
        help="A model holds applications that belong together."
      />
      <CommandHint
        cli={command("add-model", name || "NAME")}
        request={{ method: "POST", path: "/v1/models", body: { name } }}
      />
    </Dialog>
  );
}
