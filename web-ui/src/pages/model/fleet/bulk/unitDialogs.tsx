/** What is done to several units at once. */
import { useState } from "react";
import { units as unitApi } from "../../../../api";
import { CommandHint } from "../../../../components/Commands";
import { TakesAlong } from "../../../../components/TakesAlong";
import { command } from "../../../../lib/commands";
import { failedHook } from "../../../../lib/failedHook";
import { counted } from "../../../../lib/fleet/bulk";
import { alongWithUnits, type Model } from "../../../../lib/fleet/going";
import { GoingStorage } from "../../../storage/GoingStorage";
import { BulkDialog } from "./BulkDialog";
import { Force } from "./Force";

export interface UnitsProperties {
  model: string;
  /** Names of those that were chosen. */
  names: readonly string[];
  entities: Model;
  onClose: () => void;
}

/** Units among these whose hook failed. */
export const failedUnits = (names: readonly string[], { units }: Pick<Model, "units">): string[] => {
  const wanted = new Set(names);
  return units.filter((unit) => wanted.has(unit.name) && failedHook(unit) !== null).map(({ name }) => name);
};

export function RetryUnitsDialog({ model, names, entities, onClose }: UnitsProperties) {
  // Those that are well again meanwhile stay what was asked about.
  const [failed] = useState(() => failedUnits(names, entities));
  const others = names.length - failed.length;
  return (
    <BulkDialog
      title={`Retry ${counted(failed.length, "failed hook")}`}
      submit="Retry"
      disabled={failed.length === 0}
      tasks={() => failed.map((name) => ({ name, act: () => unitApi.resolve(model, name, true) }))}
      onClose={onClose}
    >
      <ul className="takes-along">
        <TakesAlong names={failed} one="The failed hook runs again in" many="The failed hooks run again in" none="None of them has a failed hook." />
        {others > 0 && failed.length > 0 && <li>{counted(others, "other unit")} without a failed hook {others === 1 ? "is" : "are"} left alone</li>}
      </ul>
      {failed.length > 0 && <CommandHint cli={command("resolved", "-m", model, ...failed)} />}
    </BulkDialog>
  );
}

export function RemoveUnitsDialog({ model, names, entities, onClose }: UnitsProperties) {
  const [force, setForce] = useState(false);
  const [destroyStorage, setDestroyStorage] = useState(false);
  // What goes along is said as it was asked, also while it goes.
  const [along] = useState(() => alongWithUnits(names, entities));
  const [one = ""] = names;
  const choices = (
    <>
      <GoingStorage storages={along.storages} destroy={destroyStorage} onChange={setDestroyStorage} />
      <Force force={force} onChange={setForce} />
    </>
  );
  return (
    <BulkDialog
      title={names.length === 1 ? `Remove ${one}` : `Remove ${names.length} units`}
      submit={names.length === 1 ? "Remove unit" : `Remove ${names.length} units`}
      danger
      confirm={names.length === 1 ? one : `remove ${names.length}`}
      tasks={() => names.map((name) => ({ name, act: () => unitApi.remove(model, name, force, destroyStorage) }))}
      again={choices}
      onClose={onClose}
    >
      <p>This removes, after the stop and remove hooks:</p>
      <ul className="takes-along">
        <TakesAlong names={names} one="unit" many="units" more="with their state" />
        <TakesAlong names={along.subordinates} one="the subordinate unit" many="the subordinate units" more="in their containers" />
        <TakesAlong names={along.machines} one="machine" many="machines" more="that only they use" none="no machines" />
      </ul>
      {choices}
      <CommandHint
        cli={command("remove-unit", "-m", model, ...names, "--no-prompt", force && "--force", destroyStorage && "--destroy-storage")}
      />
    </BulkDialog>
  );
}
