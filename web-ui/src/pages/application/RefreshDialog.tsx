import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { ApplicationInfo, CharmInfo } from "../../api/types";
import { CharmPicker } from "../../components/CharmPicker";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { command } from "../../lib/commands";
import { asked, type Chosen, choicesOf, choiceWords } from "../../lib/grants";
import { useAct } from "../../lib/useAct";
import { useCharms } from "../../lib/useCharms";
import { CapabilityFields, useCapabilities } from "../grants/CapabilityFields";

interface Properties {
  model: string;
  application: ApplicationInfo;
  onClose: () => void;
}

export function RefreshDialog({ model, application, onClose }: Properties) {
  const { name } = application;
  const [charm, setCharm] = useState<CharmInfo | null>(null);
  const [channel, setChannel] = useState("");
  const [force, setForce] = useState(false);
  const [chosen, setChosen] = useState<Chosen>({});
  const { charms } = useCharms(model);
  const fitting = charms.filter(
    (each) => each.name === application["charm-name"] && each.url !== application.charm,
  );
  const before = charms.find(({ url }) => url === application.charm);
  const capabilities = useCapabilities(model, charm, name);
  const choices = choicesOf(capabilities.grants, chosen, before);
  const waits = asked(capabilities.grants, before).some(({ capability }) => !chosen[capability]);
  const refresh = useAct(
    async () => charm && (await applications.refresh(model, name, charm.url, force, channel, choices)),
    onClose,
  );
  const source = channel
    ? ["--channel", channel]
    : charm
      ? ["--revision", String(charm.revision)]
      : ["--path", "./FILE.charm"];
  const other = charm !== null && charm.name !== application["charm-name"];
  return (
    <Dialog
      title={`Refresh ${name}`}
      submit="Refresh"
      disabled={charm === null || other || charm.url === application.charm}
      busy={refresh.busy}
      error={refresh.error}
      onSubmit={() => refresh.run()}
      onClose={onClose}
    >
      <p>
        Runs {application.charm} now. Every unit runs <code>upgrade-charm</code> on the new revision; state is kept.
      </p>
      {application["can-upgrade-to"] && (
        <p>The charm repository has {application["can-upgrade-to"]}.</p>
      )}
      <CharmPicker
        model={model}
        charms={fitting}
        chosen={charm}
        only={application["charm-name"]}
        onChoose={(chosen, from) => {
          setCharm(chosen);
          setChannel(from);
          setChosen({});
        }}
      />
      {other && (
        <p role="alert">
          {charm.url} is another charm; {name} needs a revision of {application["charm-name"]}.
        </p>
      )}
      <CapabilityFields
        grants={capabilities.grants}
        error={capabilities.error}
        before={before}
        chosen={chosen}
        onChange={setChosen}
      />
      {waits && (
        <p className="p-form-help-text">
          What you do not decide now is waited for: {name} keeps {application.charm} until somebody grants it.
        </p>
      )}
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: also refresh units in error</span>
      </label>
      <CommandHint
        cli={command("refresh", "-m", model, name, ...source, force && "--force-units", ...choiceWords(choices))}
        request={{
          method: "POST",
          path: `${paths.application(model, name)}/refresh`,
          body: { charm: charm?.url ?? "local:NAME-REVISION", "force-units": force, channel, ...(choices && { capabilities: choices }) },
        }}
      />
    </Dialog>
  );
}
