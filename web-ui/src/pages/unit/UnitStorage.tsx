import { useState } from "react";
import { storage } from "../../api";
import { withQuery } from "../../api/client";
import * as paths from "../../api/paths";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { addable, mibOf, ofUnit } from "../../lib/storage";
import { useAct } from "../../lib/useAct";
import { useModel, useStorages } from "../../live/context";
import { useAllowed } from "../../session";
import { StorageTable } from "../storage/StorageTable";

/** What a unit has of the storage of its charm. A unit that is gone has no charm. */
export function UnitStorage({ model, unit, charm }: { model: string; unit: string; charm: string | undefined }) {
  const { charms } = useModel(model);
  const own = ofUnit(useStorages(model), unit);
  const mayWrite = useAllowed(model, "write");
  const [adding, setAdding] = useState(false);
  const names = addable(charms.find(({ url }) => url === charm));
  const add = mayWrite && names.length > 0 && (
    <button type="button" className="p-button" onClick={() => setAdding(true)}>
      Add storage
    </button>
  );
  return (
    <>
      {own.length === 0 ? (
        <Empty
          title={`${unit} has no storage`}
          cli={command("add-storage", "-m", model, unit, names[0] ?? "NAME")}
          action={add}
        >
          {names.length > 0 ? `Its charm can use ${names.join(", ")}.` : "Its charm declares no storage that can be added."}
        </Empty>
      ) : (
        <>
          <div className="section__head">
            <CopyTools
              cli={command("storage", "-m", model)}
              request={{ path: withQuery(paths.storages(model), { of: unit }) }}
            />
            {add}
          </div>
          <StorageTable model={model} storages={own} caption={`Storage of ${unit}`} />
        </>
      )}
      {adding && <AddStorageDialog model={model} unit={unit} names={names} onClose={() => setAdding(false)} />}
    </>
  );
}

interface Adding {
  model: string;
  unit: string;
  names: string[];
  onClose: () => void;
}

function AddStorageDialog({ model, unit, names, onClose }: Adding) {
  const [name, setName] = useState(names[0] ?? "");
  const [size, setSize] = useState("");
  const mib = mibOf(size);
  const wrong = size !== "" && mib === null ? "A number with its unit, as in 512M or 10G" : null;
  const body = { storage: name, asked: mib === null ? {} : { size: mib } };
  const add = useAct(() => storage.add(model, unit, body), onClose);
  return (
    <Dialog
      title={`Add storage to ${unit}`}
      submit="Add storage"
      busy={add.busy}
      disabled={wrong !== null}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <SelectField label="Storage" value={name} onChange={setName} options={names} help="As its charm declares it" />
      <TextField
        label="Size"
        value={size}
        onChange={setSize}
        error={wrong}
        help="If empty, as for the application's other units"
      />
      <CommandHint
        cli={command("add-storage", "-m", model, unit, size && wrong === null ? `${name}=${size}` : name)}
        request={{ method: "POST", path: paths.unitStorage(model, unit), body }}
      />
    </Dialog>
  );
}
