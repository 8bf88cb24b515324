import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Incomplete } from "./incomplete";
import { Failure } from "./States";

interface Properties {
  title: string;
  onClose: () => void;
  onSubmit: () => void;
  submit: string;
  danger?: boolean;
  /** Something is missing or wrong: neither the answer nor the command it shows would be taken. */
  disabled?: boolean;
  /** What takes something away was not confirmed yet. */
  unconfirmed?: boolean;
  busy?: boolean;
  error?: unknown;
  /** Without it there is nothing left to cancel, only something to read. */
  cancel?: boolean;
  /** What the answer that changes nothing is called, where "Cancel" could be taken for the other. */
  dismiss?: string;
  children: ReactNode;
}

const FIELDS =
  "input:not(:disabled, [type=checkbox], [type=file]), select:not(:disabled), textarea:not(:disabled)";

/** Begins at the first field; where there is none, at the answer that changes nothing. */
function begin(dialog: HTMLDialogElement): void {
  const fields = [...dialog.querySelectorAll<HTMLElement>(`.dialog__body :is(${FIELDS})`)];
  const field = fields.find((each) => !each.closest("details:not([open])"));
  (field ?? dialog.querySelector<HTMLElement>(".dialog__foot button"))?.focus();
  if (field instanceof HTMLInputElement) field.select();
}

/** A question with an answer button. The browser keeps the focus inside and closes it on Escape. */
export function Dialog(properties: Properties) {
  const { title, onClose, onSubmit, submit, danger, disabled = false, unconfirmed, busy, error, cancel = true, dismiss = "Cancel", children } =
    properties;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed while it is still in the document: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    dialog.showModal?.();
    begin(dialog);
    return () => dialog.close?.();
  }, []);
  const answer = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy && !disabled && !unconfirmed) onSubmit();
  };
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={answer} noValidate>
        <header className="dialog__head">
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </header>
        <div className="dialog__body">
          <Incomplete value={disabled}>{children}</Incomplete>
          {error != null && <Failure error={error} />}
        </div>
        <footer className="dialog__foot">
          {cancel && (
            <button type="button" className="p-button" onClick={onClose}>
              {dismiss}
            </button>
          )}
          <button
            type="submit"
            className={danger ? "p-button--negative" : "p-button--positive"}
            disabled={disabled || unconfirmed || busy}
          >
            {busy ? "Working…" : submit}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
