import { useState } from "react";
import { users } from "../../api";
import { CommandHint } from "../../components/Commands";
import { TextField } from "../../components/Fields";
import { Failure } from "../../components/States";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

export function PasswordForm({ user, askCurrent }: { user: string; askCurrent: boolean }) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [done, setDone] = useState(false);
  const change = useAct(
    () => users.setPassword(user, askCurrent ? current : null, password),
    () => {
      setCurrent("");
      setPassword("");
      setAgain("");
      setDone(true);
    },
  );
  return (
    <form
      className="inline-form"
      aria-label="Change password"
      onSubmit={(event) => {
        event.preventDefault();
        setDone(false);
        change.run();
      }}
    >
      {askCurrent && (
        <TextField label="Current password" type="password" autoComplete="current-password" value={current} onChange={setCurrent} />
      )}
      <TextField label="New password" type="password" autoComplete="new-password" value={password} onChange={setPassword} />
      <TextField
        label="New password again"
        type="password"
        autoComplete="new-password"
        value={again}
        onChange={setAgain}
        error={again && again !== password ? "The two passwords differ" : null}
      />
      {change.error != null && <Failure error={change.error} />}
      <p role="status">{done && "The password was changed."}</p>
      <button
        type="submit"
        className="p-button"
        disabled={!password || password !== again || (askCurrent && !current) || change.busy}
      >
        Change password
      </button>
      <CommandHint cli={command("change-user-password", user)} />
    </form>
  );
}
