import { useEffect, useState } from "react";
import { secrets } from "../../api";
import * as paths from "../../api/paths";
import type { SecretInfo, SecretValues } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { CopyButton } from "../../components/CopyButton";
import { Dialog } from "../../components/Dialog";
import { Facts } from "../../components/Fields";
import { command } from "../../lib/commands";
import { nameOf } from "../../lib/secrets";
import { useCountdown } from "../../lib/useCountdown";

/** How long values are shown. */
const SECONDS = 60;

interface Properties {
  model: string;
  secret: SecretInfo;
  revision: number;
  onClose: () => void;
}

/**
 * The values of a secret, after it was said that it is on record who saw them. They are kept in no cache and are gone with the
 * dialog, which closes after a minute and when the page is left.
 */
export function RevealDialog({ model, secret, revision, onClose }: Properties) {
  const [values, setValues] = useState<SecretValues | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const left = useCountdown(values, values === null ? undefined : SECONDS);
  const over = left === 0;
  useEffect(() => {
    if (over) onClose();
  }, [over, onClose]);
  useEffect(() => {
    // A page that the browser keeps for the way back is as it was.
    window.addEventListener("pagehide", onClose);
    return () => window.removeEventListener("pagehide", onClose);
  }, [onClose]);
  const reveal = (): void => {
    setBusy(true);
    setError(null);
    secrets
      .reveal(model, secret.id, revision)
      .then((revealed) => setValues(revealed.values), setError)
      .finally(() => setBusy(false));
  };
  const title = `Revision ${revision} of ${nameOf(secret)}`;
  if (values !== null) {
    return (
      <Dialog key="shown" title={title} submit="Hide now" cancel={false} onSubmit={onClose} onClose={onClose}>
        <Facts
          wide={Object.keys(values)}
          rows={Object.entries(values).map(([key, value]) => [
            key,
            <span key={key} className="revealed">
              <code>{value}</code> <CopyButton text={value} label={`Copy ${key}`} />
            </span>,
          ])}
        />
        <p>Hidden again in {left ?? SECONDS} s.</p>
      </Dialog>
    );
  }
  return (
    <Dialog
      key="asked"
      title={`Reveal ${nameOf(secret)}`}
      submit="Reveal"
      busy={busy}
      error={error}
      onSubmit={reveal}
      onClose={onClose}
    >
      <p>
        The audit log records that you saw the values of revision {revision}, and when. They are hidden again after a minute.
      </p>
      <CommandHint
        cli={command("show-secret", "-m", model, secret.id, "--reveal", "--revision", String(revision))}
        request={{ method: "POST", path: `${paths.secret(model, secret.id)}/reveal`, body: { revision } }}
      />
    </Dialog>
  );
}
