/** Where a bundle is dropped or chosen, with its overlays and packed charms. */
import { useId, useState } from "react";

interface Properties {
  /** Why nothing can be dropped now. */
  busy: boolean;
  /** Whether the visitor may upload charms. */
  mayWrite: boolean;
  onFiles: (files: File[]) => void;
}

export function BundleDrop({ busy, mayWrite, onFiles }: Properties) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div
      className={`drop ${over ? "is-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!busy) onFiles([...event.dataTransfer.files]);
      }}
    >
      <label htmlFor={`${id}-files`}>Choose or drop a bundle</label>
      <input
        id={`${id}-files`}
        type="file"
        multiple
        accept={mayWrite ? undefined : ".yaml,.yml"}
        disabled={busy}
        aria-describedby={`${id}-help`}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <p id={`${id}-help`} className="p-form-help-text">
        A bundle&apos;s .yaml file and its overlays
        {mayWrite && "; with them the .charm files and the files for resources that it names, which are uploaded at once"}.
      </p>
    </div>
  );
}
