import { useEffect, useState } from "react";

/** Characters that are shown to who points at the button; more are only copied. */
const SHOWN = 2000;

/** Puts a text on the clipboard and says that it did. */
export function CopyButton({ text, label, disabled = false }: { text: string; label: string; disabled?: boolean }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="p-button--base is-small copy"
      disabled={disabled}
      title={text.length > SHOWN ? undefined : text}
      onClick={() => {
        copyText(text).then(setCopied, () => setCopied(false));
      }}
    >
      <span aria-live="polite">{copied === null ? label : copied ? "Copied" : "Not copied"}</span>
    </button>
  );
}

/** The clipboard exists only where the page came securely; a selected field serves elsewhere. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "u-off-screen";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
