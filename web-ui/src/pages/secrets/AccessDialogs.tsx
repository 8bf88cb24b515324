/** Who may read a secret of the model, and its end. */
import { useState } from "react";
import { secrets } from "../../api";
import * as paths from "../../api/paths";
import type { SecretInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { Dialog } from "../../components/Dialog";
import { TakesAlong } from "../../components/TakesAlong";
import { natural } from "../../lib/attention";
import { command } from "../../lib/commands";
import { isLasting } from "../../lib/secrets";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  secret: SecretInfo;
  onClose: () => void;
}

export function GrantDialog({ model, secret, onClose }: Properties) {
  const { applications } = useModel(model);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const granted = new Set(secret.grants.filter(isLasting).map(({ to }) => to));
  const open = applications.filter(({ name, life }) => life === "alive" && !granted.has(name));
  const names = open.map(({ name }) => name).sort(natural);
  const body = { applications: chosen.toSorted(natural) };
  const grant = useAct(() => secrets.grant(model, secret.id, body.applications), onClose);
  return (
    <Dialog
      title={`Grant ${secret.label}`}
      submit="Grant"
      busy={grant.busy}
      disabled={chosen.length === 0}
      error={grant.error}
      onSubmit={() => grant.run()}
      onClose={onClose}
    >
      <p>All units of an application can read the secrets granted to it until you revoke them.</p>
      {names.length === 0 ? (
        <p>All applications can already read it.</p>
      ) : (
        <fieldset>
          <legend>Applications</legend>
          {names.map((name) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={(event) =>
                  setChosen(event.target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
      {chosen.length > 0 && (
        <CommandHint
          cli={command("grant-secret", "-m", model, secret.label, body.applications.join(","))}
          request={{ method: "POST", path: paths.secretGrants(model, secret.id), body }}
        />
      )}
    </Dialog>
  );
}

export function RevokeDialog({ model, secret, from, onClose }: Properties & { from: string }) {
  const revoke = useAct(() => secrets.revoke(model, secret.id, from), onClose);
  return (
    <Dialog
      title={`Revoke ${secret.label} from ${from}`}
      submit="Revoke"
      danger
      busy={revoke.busy}
      error={revoke.error}
      onSubmit={() => revoke.run()}
      onClose={onClose}
    >
      <p>
        Its units are refused the next time they ask. They may have kept what they read before: change the values if they must no longer know them.
      </p>
      <CommandHint
        cli={command("revoke-secret", "-m", model, secret.label, from)}
        request={{ method: "DELETE", path: paths.secretGrant(model, secret.id, from) }}
      />
    </Dialog>
  );
}

export function RemoveSecretDialog({ model, secret, onClose, onDone }: Properties & { onDone: () => void }) {
  const remove = useAct(() => secrets.remove(model, secret.id, null), onDone);
  const readers = [...new Set(secret.revisions.flatMap((revision) => revision.readers ?? []))];
  return (
    <ConfirmByName
      title={`Remove ${secret.label}`}
      name={secret.label}
      submit="Remove secret"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>All its revisions are deleted and cannot be restored.</p>
      {readers.length > 0 && (
        <ul className="takes-along">
          <TakesAlong names={readers} one="It is read by" many="It is read by" />
        </ul>
      )}
      <CommandHint
        cli={command("remove-secret", "-m", model, secret.label)}
        request={{ method: "DELETE", path: paths.secret(model, secret.id) }}
      />
    </ConfirmByName>
  );
}

/** One revision that is not wanted any more; the secret goes with its last. */
export function RemoveRevisionDialog({ model, secret, revision, onClose }: Properties & { revision: number }) {
  const remove = useAct(() => secrets.remove(model, secret.id, revision), onClose);
  const readers = secret.revisions.find((each) => each.revision === revision)?.readers ?? [];
  return (
    <Dialog
      title={`Remove revision ${revision} of ${secret.label}`}
      submit="Remove revision"
      danger
      busy={remove.busy}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <p>Its values cannot be restored.</p>
      <ul className="takes-along">
        <TakesAlong
          names={readers}
          one="It can no longer be read by"
          many="It can no longer be read by"
          more="until they ask for the newest"
          none="No unit uses it."
        />
      </ul>
      <CommandHint
        cli={command("remove-secret", "-m", model, secret.label, "--revision", String(revision))}
        request={{ method: "DELETE", path: `${paths.secret(model, secret.id)}?revision=${revision}` }}
      />
    </Dialog>
  );
}
