/** The questions that change what holds of an application beside its options. */
import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { ApplicationInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { constraintWords, wrongMinimum } from "../../lib/terms";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  application: ApplicationInfo;
  onClose: () => void;
}

export function MinimumDialog({ model, application, onClose }: Properties) {
  const { name } = application;
  const [text, setText] = useState(String(application["min-units"] ?? 0));
  const wrong = wrongMinimum(text);
  const set = useAct(() => applications.setMinUnits(model, name, Number(text)), onClose);
  return (
    <Dialog
      title={`Minimum number of units of ${name}`}
      submit="Set"
      disabled={wrong !== null}
      busy={set.busy}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      <TextField
        label="Keep at least"
        type="number"
        min={0}
        max={10_000}
        value={text}
        onChange={setText}
        error={wrong}
        help="If there are fewer units, more are added automatically; 0 means no minimum"
      />
      <CommandHint
        cli={command("min-units", "-m", model, name, text || "N")}
        request={{
          method: "PUT",
          path: `${paths.application(model, name)}/min-units`,
          body: { "min-units": Number(text) },
        }}
      />
    </Dialog>
  );
}

export function TrustDialog({ model, application, onClose }: Properties) {
  const { name } = application;
  const trust = !application.trust;
  const set = useAct(() => applications.setTrust(model, name, trust), onClose);
  return (
    <Dialog
      title={trust ? `Trust ${name}` : `Take the trust in ${name} back`}
      submit={trust ? "Trust" : "Take back"}
      danger={trust}
      busy={set.busy}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      <p>
        {trust
          ? "Its charm can get the credential that the model uses in its cloud."
          : "Its charm can no longer get the cloud's credential, but may have kept it."}{" "}
        The units run config-changed.
      </p>
      <CommandHint
        cli={command("trust", "-m", model, name, !trust && "--remove")}
        request={{ method: "PUT", path: `${paths.application(model, name)}/trust`, body: { trust } }}
      />
    </Dialog>
  );
}

export function ConstraintsDialog({ model, application, onClose }: Properties) {
  const { name } = application;
  const [text, setText] = useState(application.constraints ?? "");
  const words = constraintWords(text);
  const constraints = words.join(" ");
  const set = useAct(() => applications.setConstraints(model, name, constraints), onClose);
  return (
    <Dialog
      title={`Constraints of ${name}`}
      submit="Set"
      busy={set.busy}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      <p>Requirements on machines created for its units from now on. They override the model's.</p>
      <TextField
        label="Constraints"
        value={text}
        onChange={setText}
        help="Constraints such as mem=4G cores=2 arch=amd64; none if empty"
      />
      <CommandHint
        cli={command("set-constraints", "-m", model, name, ...words)}
        request={{ method: "PUT", path: `${paths.application(model, name)}/constraints`, body: { constraints } }}
      />
    </Dialog>
  );
}
