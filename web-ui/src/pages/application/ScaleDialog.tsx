import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { ApplicationInfo, UnitInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { leaving } from "../../lib/scale";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  application: ApplicationInfo;
  units: readonly UnitInfo[];
  onClose: () => void;
}

export function ScaleDialog({ model, application, units, onClose }: Properties) {
  const { name } = application;
  const present = units.filter((unit) => unit.life === "alive").length;
  const [text, setText] = useState(String(present));
  const [typed, setTyped] = useState("");
  const wanted = Number(text);
  const valid = /^\d+$/.test(text) && wanted <= 1000;
  const more = valid ? Math.max(0, wanted - present) : 0;
  const less = valid ? leaving(units, wanted) : [];
  const scale = useAct(async () => {
    await applications.scale(model, name, { units: wanted });
  }, onClose);
  return (
    <Dialog
      title={`Scale ${name}`}
      submit={less.length > 0 ? `Remove ${less.length}` : more > 0 ? `Add ${more}` : "Scale"}
      danger={less.length > 0}
      disabled={(more === 0 && less.length === 0) || (less.length > 0 && typed !== name)}
      busy={scale.busy}
      error={scale.error}
      onSubmit={() => scale.run()}
      onClose={onClose}
    >
      <TextField
        label="Units"
        type="number"
        min={0}
        max={1000}
        value={text}
        onChange={setText}
        error={valid ? null : "A number from 0 to 1000"}
        help={`${present} now`}
      />
      {less.length > 0 && (
        <>
          <p>
            These units and the machines that only they use will be removed: <strong>{less.join(", ")}</strong>
          </p>
          <TextField label={`Type ${name} to confirm`} value={typed} onChange={setTyped} />
          <CommandHint cli={command("remove-unit", "-m", model, "--no-prompt", ...less)} />
        </>
      )}
      {more > 0 && (
        <CommandHint
          cli={command("add-unit", "-m", model, name, "-n", String(more))}
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
