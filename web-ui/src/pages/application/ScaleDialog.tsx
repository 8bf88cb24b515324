import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { ApplicationInfo, UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { subordinatesOf } from "../../lib/relations";
import { aliveUnits, leaving, MOST_UNITS, unitsError } from "../../lib/scale";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  application: ApplicationInfo;
  units: readonly UnitInfo[];
  /** What the field has at first; as many units as there are without it. */
  wanted?: string;
  onClose: () => void;
}

export function ScaleDialog({ model, application, units, wanted: given, onClose }: Properties) {
  const { name } = application;
  const { units: all } = useModel(model);
  const present = aliveUnits(units).length;
  const [text, setText] = useState(given || String(present));
  const [typed, setTyped] = useState("");
  const wanted = Number(text);
  const error = unitsError(text);
  const valid = error === null;
  const more = valid ? Math.max(0, wanted - present) : 0;
  const less = valid ? leaving(units, wanted) : [];
  const beside = subordinatesOf(new Set(less), all);
  const scale = useAct(() => applications.scale(model, name, { units: wanted }), onClose);
  return (
    <Dialog
      title={`Scale ${name}`}
      submit={less.length > 0 ? `Remove ${less.length}` : more > 0 ? `Add ${more}` : "Scale"}
      danger={less.length > 0}
      disabled={more === 0 && less.length === 0}
      unconfirmed={less.length > 0 && typed !== name}
      busy={scale.busy}
      error={scale.error}
      onSubmit={() => scale.run()}
      onClose={onClose}
    >
      <TextField
        label="Units"
        type="number"
        min={0}
        max={MOST_UNITS}
        value={text}
        onChange={setText}
        error={error}
        help={`${present} now`}
      />
      {less.length > 0 && (
        <>
          <p>This removes, after the stop and remove hooks:</p>
          <ul className="takes-along">
            <TakesAlong names={less} one="unit" many="units" more="and the machines that only they use" />
            <TakesAlong names={beside} one="the subordinate unit" many="the subordinate units" more="in their containers" />
          </ul>
          <TextField label={`Type ${name} to confirm`} value={typed} onChange={setTyped} />
        </>
      )}
      {more + less.length > 0 && (
        <CommandHint
          cli={command("scale-application", "-m", model, name, text)}
          request={{
            method: "PUT",
            path: `${paths.application(model, name)}/scale`,
            body: { units: wanted },
          }}
        />
      )}
    </Dialog>
  );
}
