import { units } from "../../api";
import * as paths from "../../api/paths";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  unit: string;
  /** The hook that failed; none when the charm could not be put in place. */
  hook: string | null;
  onClose: () => void;
}

/** Skipping cannot be taken back: it says first what follows. */
export function SkipDialog({ model, unit, hook, onClose }: Properties) {
  const skip = useAct(() => units.resolve(model, unit, false), onClose);
  const what = hook ? `hook ${hook}` : "the failed step";
  return (
    <Dialog
      title={`Skip ${what} of ${unit}`}
      submit={hook ? "Skip hook" : "Skip"}
      danger
      busy={skip.busy}
      error={skip.error}
      onSubmit={() => skip.run()}
      onClose={onClose}
    >
      <p>
        {unit} continues as if {hook ? <code>{hook}</code> : "it"} had succeeded:
      </p>
      <ul className="takes-along">
        <li>{hook ? <code>{hook}</code> : "It"} is not run again for this event.</li>
        <li>What {hook ? "the hook" : "it"} does is not done: setup, changes and messages to other units are missing.</li>
        <li>Later hooks run in a state that the charm does not expect.</li>
      </ul>
      <p>This cannot be undone. If the cause is fixed, retry the hook instead.</p>
      <CommandHint
        cli={command("resolved", "-m", model, unit, "--no-retry")}
        request={{ method: "POST", path: `${paths.unit(model, unit)}/resolved`, body: { retry: false } }}
      />
    </Dialog>
  );
}
