/** A charm of the model, a file that is uploaded first, or a charm of the controller's repository. */
import { useEffect, useId, useRef, useState } from "react";
import { isAbort, type Progress, uploadCharm } from "../api/upload";
import type { CharmInfo } from "../api/types";
import { bytes } from "../lib/bytes";
import { RepositoryPicker } from "./RepositoryPicker";
import { Failure } from "./States";

interface Properties {
  model: string;
  charms: readonly CharmInfo[];
  chosen: CharmInfo | null;
  /** Of the charm repository, only charms of this name are offered. */
  only?: string;
  /** `channel` is that of the charm repository that the charm was taken from; empty for none. */
  onChoose: (charm: CharmInfo | null, channel: string) => void;
}

export function CharmPicker({ model, charms, chosen, only, onChoose }: Properties) {
  const id = useId();
  const [progress, setProgress] = useState<(Progress & { name: string }) | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [over, setOver] = useState(false);
  const running = useRef<AbortController | null>(null);
  // Nobody waits for it any more.
  useEffect(() => () => running.current?.abort(), []);
  const known = chosen && !charms.some(({ url }) => url === chosen.url) ? [...charms, chosen] : charms;

  const upload = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    running.current = new AbortController();
    setError(null);
    setProgress({ name: file.name, sent: 0, total: file.size });
    try {
      const report = (now: Progress): void => setProgress({ name: file.name, ...now });
      onChoose(await uploadCharm(model, file, report, running.current.signal), "");
    } catch (problem) {
      if (!isAbort(problem)) setError(problem);
    } finally {
      setProgress(null);
    }
  };
  const share = progress ? Math.round((100 * progress.sent) / Math.max(1, progress.total)) : 0;
  return (
    <fieldset className="charm-picker">
      <legend>Charm</legend>
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
          void upload(event.dataTransfer.files[0]);
        }}
      >
        <label htmlFor={`${id}-file`}>Upload a .charm file</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".charm,application/zip"
          disabled={progress !== null}
          onChange={(event) => {
            void upload(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
        {progress && (
          <div className="drop__progress">
            <progress max={100} value={share} aria-label={`Upload of ${progress.name}`} />
            <span role="status">
              {share < 100
                ? `${bytes(progress.sent)} of ${bytes(progress.total)}`
                : "Checking and compiling the charm…"}
            </span>
            <button type="button" className="p-button is-small" onClick={() => running.current?.abort()}>
              Cancel
            </button>
          </div>
        )}
      </div>
      {error != null && <Failure error={error} />}
      {known.length > 0 && (
        <>
          <label htmlFor={`${id}-charm`}>or choose one already in the model</label>
          <select
            id={`${id}-charm`}
            value={chosen?.url ?? ""}
            onChange={(event) => onChoose(known.find(({ url }) => url === event.target.value) ?? null, "")}
          >
            <option value="">Choose a charm</option>
            {known
              .toSorted((a, b) => a.name.localeCompare(b.name) || b.revision - a.revision)
              .map(({ url, metadata }) => (
                <option key={url} value={url}>
                  {url} {metadata.summary && `– ${metadata.summary}`}
                </option>
              ))}
          </select>
        </>
      )}
      <RepositoryPicker model={model} only={only} onTake={onChoose} />
      {chosen && (
        <p role="status" className="p-form-help-text">
          {chosen.url}, {bytes(chosen.size)}, sha256 <code>{chosen.sha256.slice(0, 12)}</code>
        </p>
      )}
    </fieldset>
  );
}
