import { incidents } from "../../api";
import * as paths from "../../api/paths";
import type { IncidentInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { heading } from "../../lib/incidents";
import { useAct } from "../../lib/useAct";

/** Skipping cannot be taken back: it says first in which units, and what follows. */
export function SkipAllDialog({ model, incident, onClose }: { model: string; incident: IncidentInfo; onClose: () => void }) {
  const skip = useAct(() => incidents.skip(model, incident.id), onClose);
  const hook = incident.hook ?? "the failed step";
  return (
    <Dialog
      title={`Skip ${hook} of ${incident.application ?? ""}`}
      submit="Skip hook"
      danger
      busy={skip.busy}
      error={skip.error}
      onSubmit={() => skip.run()}
      onClose={onClose}
    >
      <p>{heading(incident)}. If you skip the hook:</p>
      <ul className="takes-along">
        <TakesAlong names={incident.units} one="It continues without the hook:" many="They continue without the hook:" />
        <li>{hook} is not run again for this event.</li>
        <li>Its work is not done: setup, changes and messages to other units are missing.</li>
      </ul>
      <p>This cannot be undone. If the cause is fixed, retry the hook instead.</p>
      <CommandHint
        cli={command("incidents", "-m", model, "--skip", incident.id, "--no-prompt")}
        request={{ method: "POST", path: paths.incident(model, incident.id, "skip") }}
      />
    </Dialog>
  );
}
