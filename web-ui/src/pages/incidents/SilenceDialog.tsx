import { useState } from "react";
import { incidents } from "../../api";
import * as paths from "../../api/paths";
import type { IncidentInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { heading, SILENCES } from "../../lib/incidents";
import { useAct } from "../../lib/useAct";

/** For how long nobody wants to hear of an incident. */
export function SilenceDialog({ model, incident, onClose }: { model: string; incident: IncidentInfo; onClose: () => void }) {
  const [chosen, setChosen] = useState("");
  const seconds = chosen === "" ? null : Number(chosen);
  const silence = useAct(() => incidents.silence(model, incident.id, seconds), onClose);
  return (
    <Dialog
      title="Silence this incident"
      submit="Silence"
      busy={silence.busy}
      error={silence.error}
      onSubmit={() => silence.run()}
      onClose={onClose}
    >
      <p>{heading(incident)}. It is hidden for everybody who uses this model; failed hooks are still retried.</p>
      <SelectField label="How long" value={chosen} options={SILENCES} onChange={setChosen} />
      <p className="muted">
        An incident changes when another unit joins it, or when one of its units recovers and fails again.
      </p>
      <CommandHint
        cli={command(
          "incidents", "-m", model, "--silence", incident.id,
          seconds !== null && "--for", seconds !== null && `${seconds}s`,
        )}
        request={{
          method: "POST",
          path: paths.incident(model, incident.id, "silence"),
          body: seconds === null ? {} : { seconds },
        }}
      />
    </Dialog>
  );
}
