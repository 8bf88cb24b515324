import { incidents } from "../../api";
import * as paths from "../../api/paths";
import type { IncidentInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { natural } from "../../lib/attention";
import { command } from "../../lib/commands";
import { heading } from "../../lib/incidents";
import { useAct } from "../../lib/useAct";

/** So many units are named; the rest is counted. */
const NAMED = 12;

const joined = new Intl.ListFormat("en-GB");

function continuing(units: readonly string[]): { names: string; verb: string } {
  const names = units.toSorted(natural).slice(0, NAMED);
  const left = units.length - names.length;
  if (left > 0) names.push(`${left} more`);
  return { names: joined.format(names), verb: units.length === 1 ? "continues" : "continue" };
}

/** Skipping cannot be taken back: it says first in which units, and what follows. */
export function SkipAllDialog({ model, incident, onClose }: { model: string; incident: IncidentInfo; onClose: () => void }) {
  const skip = useAct(() => incidents.skip(model, incident.id), onClose);
  const hook = incident.hook ?? "the failed step";
  const { names, verb } = continuing(incident.units);
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
        <li>
          <strong>{names}</strong> {verb} without it.
        </li>
        <li>{incident.hook ? <code>{incident.hook}</code> : "The failed step"} is not run again for this event.</li>
        <li>What the hook does is not done: setup, changes and messages to other units are missing.</li>
      </ul>
      <p>This cannot be undone. If the cause is fixed, retry the hook instead.</p>
      <CommandHint
        cli={command("incidents", "-m", model, "--skip", incident.id, "--no-prompt")}
        request={{ method: "POST", path: paths.incident(model, incident.id, "skip") }}
      />
    </Dialog>
  );
}
