import { type ReactNode, useId, useState } from "react";
import { Dialog } from "./Dialog";

interface Properties {
  title: string;
  /** What has to be typed. */
  name: string;
  submit: string;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks for the name of a thing before it is taken away. */
export function ConfirmByName(properties: Properties) {
  const { title, name, submit, busy, error, onConfirm, onClose, children } = properties;
  const [typed, setTyped] = useState("");
  const id = useId();
  return (
    <Dialog
      title={title}
      submit={submit}
      danger
      unconfirmed={typed !== name}
      busy={busy}
      error={error}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      {children}
      <label htmlFor={id}>
        Type <strong>{name}</strong> to confirm
      </label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}
