import { lazy, Suspense, useState } from "react";
import { models, users } from "../../api";
import type { AddedUser, ModelPermission } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { CopyButton } from "../../components/CopyButton";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { Failure, Loading } from "../../components/States";
import { natural } from "../../lib/attention";
import { command } from "../../lib/commands";
import { registrationLink } from "../../lib/registration";
import { useAct } from "../../lib/useAct";
import { useModels } from "../../live/context";

const QrCode = lazy(() => import("../../components/QrCode"));

const ACCESS: [ModelPermission, string][] = [
  ["read", "read"],
  ["write", "write"],
  ["admin", "admin"],
];

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [password, setPassword] = useState("");
  const [model, setModel] = useState("");
  const [access, setAccess] = useState<ModelPermission>("read");
  const [added, setAdded] = useState<AddedUser | null>(null);
  const [refused, setRefused] = useState<unknown>(null);
  const known = useModels().map((each) => each.name).sort(natural);
  const add = useAct(async () => {
    const made = await users.add({ name, "display-name": displayName, password: password || null });
    // The user is there, whatever becomes of the access: what is shown only once is shown.
    if (model) await models.grant(model, name, access).catch(setRefused);
    return made;
  }, setAdded);
  if (added) {
    return (
      <Dialog title={`${added.user.name} was added`} submit="Done" cancel={false} onSubmit={onClose} onClose={onClose}>
        {added.registration ? (
          <>
            <p>
              Give {added.user.name} this link, have it scanned with a phone, or pass on the text below for{" "}
              <code>periapt register</code>. Whoever has it first chooses the password of {added.user.name}. It works
              once, within a day, and is shown only here.
            </p>
            <Suspense fallback={<Loading what="the code" rows={3} />}>
              <QrCode
                text={registrationLink(added.registration)}
                label={`QR code of the registration link of ${added.user.name}`}
              />
            </Suspense>
            <div className="actions">
              <CopyButton text={registrationLink(added.registration)} label="Copy link" />
              <CopyButton text={added.registration} label="Copy text" />
            </div>
            <textarea readOnly rows={3} aria-label="Registration string" value={added.registration} />
          </>
        ) : (
          <p>{added.user.name} can sign in with the password you chose.</p>
        )}
        {refused != null && <Failure error={refused} cli={command("grant", name, access, model)} />}
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Add a user"
      submit="Add user"
      disabled={!name}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} />
      <TextField label="Display name" value={displayName} onChange={setDisplayName} />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        help="If empty, the user gets a registration string and chooses a password."
      />
      {known.length > 0 && (
        <div className="inline-form__row">
          <SelectField
            label="Model"
            value={model}
            options={[["", "none yet"], ...known.map((each): [string, string] => [each, each])]}
            onChange={setModel}
          />
          {model && (
            <SelectField
              label="Access"
              value={access}
              options={ACCESS}
              onChange={(value) => setAccess(value as ModelPermission)}
            />
          )}
        </div>
      )}
      <CommandHint cli={command("add-user", name || "NAME", displayName)} />
      {model && <CommandHint cli={command("grant", name || "NAME", access, model)} />}
    </Dialog>
  );
}
