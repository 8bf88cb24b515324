import { useId, useState } from "react";
import { useParams } from "react-router";
import { useQueryClient } from "@tanstack/react-query";
import { bundles } from "../../api";
import * as paths from "../../api/paths";
import type { BundleApply, BundlePlan, DeployBundle } from "../../api/types";
import { uploadCharm } from "../../api/upload";
import { CommandHint } from "../../components/Commands";
import { Failure } from "../../components/States";
import { sorted } from "../../lib/bundles";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useAllowed } from "../../session";
import { ApplyProgress } from "./ApplyProgress";
import { BundleDrop } from "./BundleDrop";
import { DriftSection } from "./Drift";
import { PlanView } from "./PlanView";
import { Refused } from "./Refused";
import { useApply } from "./useApply";

type Charms = NonNullable<DeployBundle["charms"]>;

/** A bundle as it is planned and applied: dropped, corrected in place, shown as a dry run, applied; and the drift since. */
export function BundlesPage() {
  const { model = "" } = useParams();
  const id = useId();
  const cache = useQueryClient();
  const mayWrite = useAllowed(model, "write");
  const mayAdmin = useAllowed(model, "admin");
  const [text, setText] = useState("");
  const [overlays, setOverlays] = useState<{ name: string; text: string }[]>([]);
  const [charms, setCharms] = useState<Charms>({});
  const [uploading, setUploading] = useState<string | null>(null);
  const [trust, setTrust] = useState(false);
  const [plan, setPlan] = useState<BundlePlan | null>(null);
  const [begun, setBegun] = useState<BundleApply | null>(null);
  const [left, setLeft] = useState<string[]>([]);
  const followed = useApply(model, begun);
  const running = followed?.apply.state === "running" && followed.error === null;

  const body = (bundle: string, over: { text: string }[], with_: Charms): DeployBundle => ({
    bundle,
    overlays: over.map((each) => each.text),
    charms: with_,
  });
  const dry = useAct(
    (asked: DeployBundle) => bundles.deploy(model, { ...asked, "dry-run": true }),
    (found) => {
      setPlan(found);
      setBegun(null);
    },
  );
  const apply = useAct(
    () => bundles.deploy(model, { ...body(text, overlays, charms), trust }),
    (found) => {
      setBegun(found.apply ?? null);
      setPlan(null);
      void cache.invalidateQueries({ queryKey: ["bundle-drift", model] });
    },
  );
  const upload = useAct(async (files: File[]) => {
    setPlan(null);
    setBegun(null);
    const found = sorted(files);
    setLeft(found.others.map(({ name }) => name));
    let known = charms;
    for (const charm of mayWrite ? found.charms : []) {
      setUploading(charm.name);
      const { sha256 } = await uploadCharm(model, charm, () => {}).finally(() => setUploading(null));
      known = { ...known, [charm.name]: { sha256 } };
      setCharms(known);
    }
    const bundle = found.bundle ? await found.bundle.text() : text;
    const over = found.bundle
      ? await Promise.all(found.overlays.map(async (each) => ({ name: each.name, text: await each.text() })))
      : overlays;
    setText(bundle);
    setOverlays(over);
    if (bundle) dry.run(body(bundle, over, known));
  });
  const exported = useAct(
    () => bundles.export(model),
    ({ bundle }) => save(bundle, `${model}.yaml`),
  );
  const planNow = (): void => dry.run(body(text, overlays, charms));
  const edit = (changed: string): void => {
    setText(changed);
    setPlan(null);
    dry.reset();
  };
  const trusted = plan?.trusted ?? [];
  const withheld = trusted.length > 0 && (!trust || !mayAdmin);
  const uploaded = Object.keys(charms);
  const busy = upload.busy || dry.busy || apply.busy || running;
  return (
    <>
      <section className="section" aria-label="Bundle">
        <h2 className="section__title">Bundle</h2>
        <BundleDrop busy={busy} mayWrite={mayWrite} onFiles={(files) => upload.run(files)} />
        {uploading && <p role="status">Uploading and compiling {uploading}…</p>}
        {upload.error != null && <Failure error={upload.error} />}
        {left.length > 0 && <p role="alert">Not a bundle and not a charm: {left.join(", ")}</p>}
        {uploaded.length > 0 && <p className="p-form-help-text">Charms that were uploaded: {uploaded.join(", ")}</p>}
        {overlays.length > 0 && (
          <p className="p-form-help-text">Laid over it: {overlays.map(({ name }) => name).join(", ")}</p>
        )}
        <label htmlFor={`${id}-text`}>Text of the bundle</label>
        <textarea
          id={`${id}-text`}
          className="bundle-text"
          rows={12}
          spellCheck={false}
          value={text}
          disabled={busy}
          onChange={(event) => edit(event.target.value)}
        />
        {dry.error != null && <Refused error={dry.error} text={text} />}
        {apply.error != null && <Refused error={apply.error} text={text} />}
        {plan && trusted.length > 0 && (
          <label className="check">
            <input
              type="checkbox"
              checked={trust}
              disabled={!mayAdmin}
              onChange={(event) => setTrust(event.target.checked)}
            />
            <span>
              Trust {trusted.join(", ")} with the cloud&apos;s credential
              {!mayAdmin && " (only an admin of the model may)"}
            </span>
          </label>
        )}
        <div className="bundle-buttons">
          <button type="button" className="p-button" disabled={busy || !text.trim()} onClick={planNow}>
            Dry run
          </button>
          {mayWrite && (
            <button
              type="button"
              className="p-button--positive"
              disabled={busy || !plan || withheld}
              onClick={() => apply.run()}
            >
              Apply
            </button>
          )}
          <button type="button" className="p-button" disabled={exported.busy} onClick={() => exported.run()}>
            Export the model
          </button>
        </div>
        {exported.error != null && <Failure error={exported.error} />}
        <CommandHint
          cli={command("deploy", "-m", model, "./bundle.yaml", "--dry-run")}
          request={{ path: paths.bundleExport(model) }}
        />
      </section>
      {plan && <PlanView model={model} plan={plan} />}
      {followed && <ApplyProgress followed={followed} onAgain={planNow} />}
      <DriftSection model={model} />
    </>
  );
}

/** Hands the visitor a file. */
function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
