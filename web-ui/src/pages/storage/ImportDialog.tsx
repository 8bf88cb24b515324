import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { storage, storagePools } from "../../api";
import * as paths from "../../api/paths";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { toStorage } from "../../lib/to";
import { useAct } from "../../lib/useAct";

/** Asks for a directory that was given up, and leads to the storage that it is then. */
export function ImportDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const navigate = useNavigate();
  const pools = useQuery({ queryKey: ["storage-pools", model], queryFn: () => storagePools.list(model) });
  // Nothing of what is in memory was ever kept.
  const names = (pools.data ?? []).filter(({ provider }) => provider !== "tmpfs").map(({ name }) => name);
  const [pool, setPool] = useState("rootfs");
  const [directory, setDirectory] = useState("");
  const [name, setName] = useState("");
  const body = { pool, "provider-id": directory, storage: name };
  const take = useAct(
    () => storage.import(model, body),
    ({ id }) => {
      onClose();
      void navigate(toStorage(model, id));
    },
  );
  return (
    <Dialog
      title="Import a directory"
      submit="Import"
      busy={take.busy}
      disabled={directory === "" || name === ""}
      error={take.error}
      onSubmit={() => take.run()}
      onClose={onClose}
    >
      <p>A directory kept when its storage was removed becomes storage again, with its contents.</p>
      <SelectField label="Pool" value={pool} onChange={setPool} options={names.length > 0 ? names : [pool]} />
      <TextField
        label="Directory"
        value={directory}
        onChange={setDirectory}
        help="The storage's provider-id, for example data-0"
      />
      <TextField label="Name" value={name} onChange={setName} help="The storage name in charms, for example data" />
      <CommandHint
        cli={command("import-filesystem", "-m", model, pool, directory || "DIRECTORY", name || "NAME")}
        request={{ method: "POST", path: paths.storages(model), body }}
      />
    </Dialog>
  );
}
