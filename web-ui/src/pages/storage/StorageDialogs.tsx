/** Who has a storage, and its end. */
import { useState } from "react";
import { storage as api } from "../../api";
import * as paths from "../../api/paths";
import type { StorageInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { Dialog } from "../../components/Dialog";
import { SelectField } from "../../components/Fields";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { nameOf, placesFor, unitsOf } from "../../lib/storage";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  storage: StorageInfo;
  onClose: () => void;
}

export function AttachDialog({ model, storage, onClose }: Properties) {
  const { units, charms } = useModel(model);
  const places = placesFor(storage, units, charms);
  const [chosen, setChosen] = useState("");
  const unit = places.includes(chosen) ? chosen : (places[0] ?? "");
  const attach = useAct(() => api.attach(model, storage.id, unit), onClose);
  return (
    <Dialog
      title={`Attach ${storage.id}`}
      submit="Attach"
      busy={attach.busy}
      disabled={unit === ""}
      error={attach.error}
      onSubmit={() => attach.run()}
      onClose={onClose}
    >
      {places.length === 0 ? (
        <p>No unit's charm declares storage with the name {nameOf(storage)}.</p>
      ) : (
        <SelectField label="Unit" value={unit} onChange={setChosen} options={places} help="It is attached to one unit at a time" />
      )}
      <CommandHint
        cli={command("attach-storage", "-m", model, unit || "UNIT", storage.id)}
        request={{ method: "POST", path: `${paths.storage(model, storage.id)}/attach`, body: { unit } }}
      />
    </Dialog>
  );
}

export function DetachDialog({ model, storage, onClose }: Properties) {
  const [force, setForce] = useState(false);
  const detach = useAct(() => api.detach(model, storage.id, force), onClose);
  return (
    <Dialog
      title={`Detach ${storage.id}`}
      submit="Detach"
      danger
      busy={detach.busy}
      error={detach.error}
      onSubmit={() => detach.run()}
      onClose={onClose}
    >
      <p>
        {unitsOf(storage).join(", ")} releases it after its storage-detaching hook. Its contents stay, and it can be attached to another unit.
      </p>
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: even if the unit's charm needs it</span>
      </label>
      <CommandHint
        cli={command("detach-storage", "-m", model, storage.id, force && "--force")}
        request={{ method: "POST", path: `${paths.storage(model, storage.id)}/detach`, body: { force } }}
      />
    </Dialog>
  );
}

export function RemoveStorageDialog({ model, storage, onClose, onDone }: Properties & { onDone: () => void }) {
  const units = unitsOf(storage);
  const [keep, setKeep] = useState(false);
  const force = units.length > 0;
  const remove = useAct(() => api.remove(model, storage.id, force, keep), onDone);
  return (
    <ConfirmByName
      title={`Remove ${storage.id}`}
      name={storage.id}
      submit="Remove storage"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      {keep ? (
        <p>
          Its directory stays as it is, and can be imported as <code>{storage["provider-id"]}</code>.
        </p>
      ) : (
        <p>Its contents are deleted and cannot be restored.</p>
      )}
      <ul className="takes-along">
        <TakesAlong names={units} one="It is detached from" many="It is taken from" more="first" none="It is not attached." />
      </ul>
      {storage.persistent && (
        <label className="check">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} />
          <span>Keep its directory</span>
        </label>
      )}
      <CommandHint
        cli={command("remove-storage", "-m", model, storage.id, force && "--force", keep && "--no-destroy")}
        request={{ method: "DELETE", path: paths.storage(model, storage.id) + paths.storageRemoval(force, keep) }}
      />
    </ConfirmByName>
  );
}
