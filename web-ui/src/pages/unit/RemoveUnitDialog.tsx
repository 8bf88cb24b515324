import { useState } from "react";
import { useNavigate } from "react-router";
import { units } from "../../api";
import * as paths from "../../api/paths";
import type { UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { relationsOf, subordinatesOf } from "../../lib/relations";
import { goingWithUnits } from "../../lib/storage";
import { toApplication } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel, useStorages } from "../../live/context";
import { GoingStorage } from "../storage/GoingStorage";

export function RemoveUnitDialog({ model, unit, onClose }: { model: string; unit: UnitInfo; onClose: () => void }) {
  const navigate = useNavigate();
  const { units: all, relations } = useModel(model);
  const [force, setForce] = useState(false);
  const [destroyStorage, setDestroyStorage] = useState(false);
  const storages = useStorages(model);
  const remove = useAct(
    () => units.remove(model, unit.name, force, destroyStorage),
    () => {
      onClose();
      void navigate(toApplication(model, unit.application));
    },
  );
  const beside = subordinatesOf(new Set([unit.name]), all);
  const left = relationsOf(relations, unit.application).map(({ key }) => key);
  return (
    <ConfirmByName
      title={`Remove ${unit.name}`}
      name={unit.name}
      submit="Remove unit"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>This also removes, after the stop and remove hooks:</p>
      <ul className="takes-along">
        <li>its state</li>
        <TakesAlong names={beside} one="the subordinate unit" many="the subordinate units" more="in its container" />
        <TakesAlong names={left} one="its part in the relation" many="its part in the relations" />
        {unit.machine && !unit.principal && <li>machine {unit.machine}, if nothing else uses it</li>}
      </ul>
      <GoingStorage
        storages={goingWithUnits(storages, [unit.name, ...beside])}
        destroy={destroyStorage}
        onChange={setDestroyStorage}
      />
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command(
          "remove-unit",
          "-m",
          model,
          unit.name,
          "--no-prompt",
          force && "--force",
          destroyStorage && "--destroy-storage",
        )}
        request={{ method: "DELETE", path: paths.unit(model, unit.name) + paths.removal(force, destroyStorage || null) }}
      />
    </ConfirmByName>
  );
}
