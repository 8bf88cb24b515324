import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { exposeRequest, listed } from "../../lib/reach";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  name: string;
  onClose: () => void;
}

export function ExposeDialog({ model, name, onClose }: Properties) {
  const [endpoints, setEndpoints] = useState("");
  const [cidrs, setCidrs] = useState("");
  const [names, ranges] = [listed(endpoints), listed(cidrs)];
  const body = exposeRequest(names, ranges);
  const expose = useAct(() => applications.expose(model, name, body), onClose);
  return (
    <Dialog
      title={`Expose ${name}`}
      submit="Expose"
      busy={expose.busy}
      error={expose.error}
      onSubmit={() => expose.run()}
      onClose={onClose}
    >
      <p>
        The open ports of its units become reachable from outside the model at the controller's ingress address, by default only from this machine.
      </p>
      <TextField
        label="Endpoints"
        value={endpoints}
        onChange={setEndpoints}
        help="Only ports opened for these; all if empty"
      />
      <TextField
        label="Addresses"
        value={cidrs}
        onChange={setCidrs}
        help="Ranges such as 10.0.0.0/8; everybody if empty"
      />
      <CommandHint
        cli={command(
          "expose", "-m", model, name,
          ...(names.length > 0 ? ["--endpoints", names.join(",")] : []),
          ...(ranges.length > 0 ? ["--to-cidrs", ranges.join(",")] : []),
        )}
        request={{ method: "POST", path: `${paths.application(model, name)}/expose`, body }}
      />
    </Dialog>
  );
}

export function UnexposeDialog({ model, name, onClose }: Properties) {
  const body = { endpoints: [] };
  const unexpose = useAct(() => applications.unexpose(model, name), onClose);
  return (
    <Dialog
      title={`Unexpose ${name}`}
      submit="Unexpose"
      busy={unexpose.busy}
      error={unexpose.error}
      onSubmit={() => unexpose.run()}
      onClose={onClose}
    >
      <p>Its units can no longer be reached from outside the model, and open connections are closed.</p>
      <CommandHint
        cli={command("unexpose", "-m", model, name)}
        request={{ method: "POST", path: `${paths.application(model, name)}/unexpose`, body }}
      />
    </Dialog>
  );
}
