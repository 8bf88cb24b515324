/** Machines that are added, removed, or tried again. */
import { useState } from "react";
import { machines as machineApi } from "../../../../api";
import * as paths from "../../../../api/paths";
import { CommandHint } from "../../../../components/Commands";
import { Dialog } from "../../../../components/Dialog";
import { TextField } from "../../../../components/Fields";
import { TakesAlong } from "../../../../components/TakesAlong";
import { command } from "../../../../lib/commands";
import { counted } from "../../../../lib/fleet/bulk";
import { alongWithMachines, type Model } from "../../../../lib/fleet/going";
import { useAct } from "../../../../lib/useAct";
import { GoingStorage } from "../../../storage/GoingStorage";
import { BulkDialog } from "./BulkDialog";
import { Force } from "./Force";

/** Machines at most that are added at once from the page. */
const MOST = 100;

interface AddProperties {
  model: string;
  /** How many the field has at first. */
  wanted?: string;
  onClose: () => void;
}

export function AddMachinesDialog({ model, wanted, onClose }: AddProperties) {
  const [text, setText] = useState(wanted || "1");
  const [constraints, setConstraints] = useState("");
  const count = Number(text);
  const valid = /^\d+$/.test(text) && count >= 1 && count <= MOST;
  const asked = constraints.trim();
  const add = useAct(() => machineApi.add(model, count, asked), onClose);
  return (
    <Dialog
      title="Add machines"
      submit={valid ? `Add ${counted(count, "machine")}` : "Add"}
      disabled={!valid}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextField
        label="Machines"
        type="number"
        min={1}
        max={MOST}
        value={text}
        onChange={setText}
        error={valid ? null : `A number from 1 to ${MOST}`}
        help="They stay until you remove them, with or without units"
      />
      <TextField
        label="Constraints"
        value={constraints}
        onChange={setConstraints}
        help="Requirements such as mem=4G cores=2; the model's apply to the rest"
      />
      <CommandHint
        cli={command("add-machine", "-m", model, count > 1 && "-n", count > 1 && text, asked && "--constraints", asked)}
        request={{
          method: "POST",
          path: paths.machines(model),
          body: { count: valid ? count : 1, ...(asked && { constraints: asked }) },
        }}
      />
    </Dialog>
  );
}

export interface MachinesProperties {
  model: string;
  ids: readonly string[];
  entities: Model;
  onClose: () => void;
}

export function RemoveMachinesDialog({ model, ids, entities, onClose }: MachinesProperties) {
  const [force, setForce] = useState(false);
  const [destroyStorage, setDestroyStorage] = useState(false);
  const [along] = useState(() => alongWithMachines(ids, entities));
  const used = along.units.length + along.subordinates.length;
  const [refused] = useState(() => {
    const wanted = new Set(ids);
    return entities.machines.filter(({ id, units }) => wanted.has(id) && units.length > 0).map(({ id }) => id);
  });
  const removed = force ? ids : ids.filter((id) => !refused.includes(id));
  const [one = ""] = ids;
  const choices = (
    <>
      {force && <GoingStorage storages={along.storages} destroy={destroyStorage} onChange={setDestroyStorage} />}
      <Force force={force} onChange={setForce} more="also remove the units on it, and do not wait for a lost agent" />
    </>
  );
  return (
    <BulkDialog
      title={ids.length === 1 ? `Remove machine ${one}` : `Remove ${ids.length} machines`}
      submit={ids.length === 1 ? "Remove machine" : `Remove ${ids.length} machines`}
      danger
      confirm={ids.length === 1 ? one : `remove ${ids.length}`}
      tasks={() =>
        ids.map((id) => ({ name: id, act: () => machineApi.remove(model, id, force, force && destroyStorage) }))
      }
      again={choices}
      onClose={onClose}
    >
      {used > 0 && !force && (
        <p>
          Units run on {ids.length === 1 ? "it" : "some of them"}: a machine with units is refused. Remove its units first, or
          force it, which removes them too.
        </p>
      )}
      {removed.length > 0 && (
        <>
          <p>This removes:</p>
          <ul className="takes-along">
            <TakesAlong names={removed} one="machine" many="machines" />
            {force ? (
              <>
                <TakesAlong names={along.units} one="unit" many="units" more="with their state, without waiting for their hooks" none="no units" />
                <TakesAlong names={along.subordinates} one="subordinate unit" many="subordinate units" more="beside them" />
              </>
            ) : (
              <li>no units</li>
            )}
          </ul>
        </>
      )}
      {!force && refused.length > 0 && (
        <>
          <p>Refused unless forced:</p>
          <ul className="takes-along">
            <TakesAlong names={refused} one="machine" many="machines" />
          </ul>
        </>
      )}
      {choices}
      <CommandHint
        cli={command("remove-machine", "-m", model, ...ids, "--no-prompt", force && "--force", force && destroyStorage && "--destroy-storage")}
      />
    </BulkDialog>
  );
}

export function RetryMachinesDialog({ model, ids, entities, onClose }: MachinesProperties) {
  const [failed] = useState(() => {
    const wanted = new Set(ids);
    const known = entities.machines.filter(({ id }) => wanted.has(id));
    return known.filter((machine) => machine.instance.status === "provisioning error").map(({ id }) => id);
  });
  return (
    <BulkDialog
      title={`Retry ${counted(failed.length, "machine")}`}
      submit="Retry"
      disabled={failed.length === 0}
      tasks={() => failed.map((id) => ({ name: id, act: () => machineApi.retryProvisioning(model, id) }))}
      onClose={onClose}
    >
      <ul className="takes-along">
        <TakesAlong
          names={failed}
          one="The provider will retry starting machine"
          many="The provider will retry starting machines"
          none="None of them has a provisioning error."
        />
      </ul>
      {failed.length > 0 && <CommandHint cli={command("retry-provisioning", "-m", model, ...failed)} />}
    </BulkDialog>
  );
}
