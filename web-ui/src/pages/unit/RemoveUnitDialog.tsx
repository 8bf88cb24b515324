import { useState } from "react";
import { useNavigate } from "react-router";
import { units } from "../../api";
import * as paths from "../../api/paths";
import type { UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { command } from "../../lib/commands";
import { toApplication } from "../../lib/to";
import { useAct } from "../../lib/useAct";

export function RemoveUnitDialog({ model, unit, onClose }: { model: string; unit: UnitInfo; onClose: () => void }) {
  const navigate = useNavigate();
  const [force, setForce] = useState(false);
  const remove = useAct(
    () => units.remove(model, unit.name, force),
    () => {
      onClose();
      void navigate(toApplication(model, unit.application));
    },
  );
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
      <p>
        Its stop and remove hooks run, then its state goes
        {unit.machine && `, and machine ${unit.machine} if nothing else uses it`}.
      </p>
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command("remove-unit", "-m", model, unit.name, "--no-prompt", force && "--force")}
        request={{ method: "DELETE", path: paths.unit(model, unit.name) + (force ? "?force=true" : "") }}
      />
    </ConfirmByName>
  );
}
