/** Asks for the file of a resource, sends it and shows how far it got. */
import { useEffect, useId, useRef, useState } from "react";
import { isAbort, type Progress, uploadResource } from "../../api/upload";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { refusedFile } from "../../lib/resources";

interface Properties {
  model: string;
  application: string;
  resource: string;
  onDone: () => void;
  onClose: () => void;
}

export function UploadDialog({ model, application, resource, onDone, onClose }: Properties) {
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  // Whoever leaves the page does not wait for it.
  useEffect(() => () => running.current?.abort(), []);
  const wrong = file ? refusedFile(file) : null;

  const send = async (): Promise<void> => {
    if (file === null) return;
    running.current = new AbortController();
    setError(null);
    setProgress({ sent: 0, total: file.size });
    try {
      await uploadResource({ model, application, resource }, file, setProgress, running.current.signal);
      onDone();
    } catch (problem) {
      if (!isAbort(problem)) setError(problem);
    } finally {
      setProgress(null);
    }
  };
  const share = progress ? Math.round((100 * progress.sent) / Math.max(1, progress.total)) : 0;
  return (
    <Dialog
      title={`Attach ${resource}`}
      submit="Attach"
      disabled={file === null || wrong !== null}
      busy={progress !== null}
      error={error}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p>
        Units of {application} get the file when they run <code>upgrade-charm</code>, which they do at once.
      </p>
      <div className={`p-form__group ${wrong ? "p-form-validation is-error" : ""}`}>
        <label htmlFor={id}>File</label>
        <input
          id={id}
          type="file"
          disabled={progress !== null}
          aria-invalid={wrong !== null}
          aria-describedby={wrong ? `${id}-help` : undefined}
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        {wrong && (
          <p id={`${id}-help`} className="p-form-validation__message">
            {wrong}
          </p>
        )}
      </div>
      {progress && (
        <div className="drop__progress">
          <progress max={100} value={share} aria-label={`Upload of ${resource}`} />
          <span role="status">
            {share < 100 ? `${bytes(progress.sent)} of ${bytes(progress.total)}` : "Storing the file…"}
          </span>
          <button type="button" className="p-button is-small" onClick={() => running.current?.abort()}>
            Cancel upload
          </button>
        </div>
      )}
      <CommandHint cli={command("attach-resource", "-m", model, application, `${resource}=./${file?.name ?? "FILE"}`)} />
    </Dialog>
  );
}
