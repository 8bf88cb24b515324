import { useState } from "react";
import { useNavigate } from "react-router";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { natural } from "../../lib/attention";
import { command } from "../../lib/commands";
import { toModel } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  name: string;
  units: readonly UnitInfo[];
  onClose: () => void;
}

export function RemoveDialog({ model, name, units, onClose }: Properties) {
  const navigate = useNavigate();
  const { machines, relations } = useModel(model);
  const [force, setForce] = useState(false);
  const remove = useAct(
    () => applications.remove(model, name, force),
    () => {
      onClose();
      void navigate(toModel(model));
    },
  );
  const own = new Set(units.map((unit) => unit.name));
  const gone = machines
    .filter((machine) => machine.units.length > 0 && machine.units.every((unit) => own.has(unit)))
    .map(({ id }) => id);
  const ended = relations.filter(({ endpoints }) =>
    endpoints.some(({ application }) => application === name),
  );
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
      <p>With the application go, after their stop and remove hooks:</p>
      <ul className="takes-along">
        <li>
          {list(units.map((unit) => unit.name), "unit", "units")} with their state
        </li>
        <li>{list(gone, "machine", "machines")} that only they use</li>
        {ended.length > 0 && (
          <li>{list(ended.map(({ key }) => key), "relation", "relations")}</li>
        )}
        <li>its configuration</li>
      </ul>
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command("remove-application", "-m", model, name, "--no-prompt", force && "--force")}
        request={{
          method: "DELETE",
          path: paths.application(model, name) + (force ? "?force=true" : ""),
        }}
      />
    </ConfirmByName>
  );
}

function list(names: string[], one: string, many: string): string {
  if (names.length === 0) return `no ${many}`;
  return `${names.length === 1 ? one : many} ${names.sort(natural).join(", ")}`;
}
