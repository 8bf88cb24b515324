import { useState } from "react";
import { users } from "../../api";
import type { AddedUser } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { CopyButton } from "../../components/CopyButton";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [password, setPassword] = useState("");
  const [added, setAdded] = useState<AddedUser | null>(null);
  const add = useAct(
    () => users.add({ name, "display-name": displayName, password: password || null }),
    setAdded,
  );
  if (added) {
    return (
      <Dialog title={`${added.user.name} was added`} submit="Done" cancel={false} onSubmit={onClose} onClose={onClose}>
        {added.registration ? (
          <>
            <p>
              Give this to {added.user.name}, for <code>periapt register</code> or the page{" "}
              <code>/register</code>. It works once, within a day, and is shown only here.
            </p>
            <textarea readOnly rows={5} aria-label="Registration string" value={added.registration} />
            <CopyButton text={added.registration} label="Copy registration" />
          </>
        ) : (
          <p>{added.user.name} can sign in with the password you chose.</p>
        )}
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
      <CommandHint cli={command("add-user", name || "NAME", displayName)} />
    </Dialog>
  );
}
