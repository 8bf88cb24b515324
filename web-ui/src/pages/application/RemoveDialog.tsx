import { useState } from "react";
import { useNavigate } from "react-router";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { relationsOf, subordinatesOf, unitsGoingWith } from "../../lib/relations";
import { goingWithApplication } from "../../lib/storage";
import { toModel } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel, useStorages } from "../../live/context";
import { GoingStorage } from "../storage/GoingStorage";

interface Properties {
  model: string;
  name: string;
  units: readonly UnitInfo[];
  onClose: () => void;
}

export function RemoveDialog({ model, name, units, onClose }: Properties) {
  const navigate = useNavigate();
  const { machines, relations, units: all } = useModel(model);
  const [force, setForce] = useState(false);
  const [destroyStorage, setDestroyStorage] = useState(false);
  const storages = useStorages(model);
  const remove = useAct(
    () => applications.remove(model, name, force, destroyStorage),
    () => {
      onClose();
      void navigate(toModel(model));
    },
  );
  const own = new Set(units.map((unit) => unit.name));
  const ended = relationsOf(relations, name);
  const beside = [
    ...new Set([...subordinatesOf(own, all), ...unitsGoingWith(ended, all, relations)]),
  ].filter((unit) => !own.has(unit));
  const going = new Set([...own, ...beside]);
  const gone = machines
    .filter((machine) => machine.units.some((unit) => own.has(unit)))
    .filter((machine) => machine.units.every((unit) => going.has(unit)))
    .map(({ id }) => id);
  return (
    <ConfirmByName
      title={`Remove ${name}`}
      name={name}
      submit="Remove application"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>This also removes, after the stop and remove hooks:</p>
      <ul className="takes-along">
        <TakesAlong names={[...own]} one="unit" many="units" more="with their state" none="no units" />
        <TakesAlong names={beside} one="subordinate unit" many="subordinate units" more="beside them" />
        <TakesAlong names={gone} one="machine" many="machines" more="that only they use" none="no machines" />
        <TakesAlong names={ended.map(({ key }) => key)} one="relation" many="relations" />
        <li>its configuration</li>
      </ul>
      <GoingStorage
        storages={goingWithApplication(storages, name, [...going])}
        destroy={destroyStorage}
        onChange={setDestroyStorage}
      />
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command(
          "remove-application",
          "-m",
          model,
          name,
          "--no-prompt",
          force && "--force",
          destroyStorage && "--destroy-storage",
        )}
        request={{
          method: "DELETE",
          path: paths.application(model, name) + paths.removal(force, destroyStorage || null),
        }}
      />
    </ConfirmByName>
  );
}
