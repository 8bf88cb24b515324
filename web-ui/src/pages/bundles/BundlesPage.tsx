import { useEffect, useId, useRef, useState } from "react";
import { useParams } from "react-router";
import { useQueryClient } from "@tanstack/react-query";
import { bundles } from "../../api";
import * as paths from "../../api/paths";
import type { BundleApply, BundleMissing, BundlePlan, DeployBundle } from "../../api/types";
import { uploadCharm, uploadForLater } from "../../api/upload";
import { CommandHint } from "../../components/Commands";
import { Failure } from "../../components/States";
import { sorted } from "../../lib/bundles";
import { command } from "../../lib/commands";
import { save } from "../../lib/save";
import { useAct } from "../../lib/useAct";
import { useAllowed } from "../../session";
import { ApplyProgress } from "./ApplyProgress";
import { BundleDrop } from "./BundleDrop";
import { DriftSection } from "./Drift";
import { PlanView } from "./PlanView";
import { Refused } from "./Refused";
import { useApply } from "./useApply";

type Charms = NonNullable<DeployBundle["charms"]>;
type Resources = NonNullable<DeployBundle["resources"]>;

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
  /** Files beside the bundle, by name; what they are for is known once the bundle is planned. */
  const [others, setOthers] = useState<ReadonlyMap<string, File>>(new Map());
  const [resources, setResources] = useState<Resources>({});
  const followed = useApply(model, begun);
  const running = followed?.apply.state === "running" && followed.error === null;

  const asked: DeployBundle = { bundle: text, overlays: overlays.map((each) => each.text), charms, resources };
  const dry = useAct(
    async ({ beside, ...request }: DeployBundle & { beside: ReadonlyMap<string, File> }) => {
      const planned = (known: Resources) =>
        bundles.deploy(model, { ...request, resources: known, "dry-run": true });
      const first = await planned(request.resources ?? {});
      const more = mayWrite ? await uploadMissing(model, first.missing, beside) : {};
      if (Object.keys(more).length === 0) return first;
      const known = merged(request.resources ?? {}, more);
      setResources(known);
      return planned(known);
    },
    (found) => {
      setPlan(found);
      setBegun(null);
    },
  );
  const apply = useAct(
    () => bundles.deploy(model, { ...asked, trust }),
    (found) => {
      setBegun(found.apply ?? null);
      setPlan(null);
      void cache.invalidateQueries({ queryKey: ["bundle-drift", model] });
    },
  );
  const upload = useAct(async (files: File[]) => {
    apply.reset();
    setPlan(null);
    setBegun(null);
    const found = sorted(files);
    const beside = new Map([...others, ...found.others.map((file) => [file.name, file] as const)]);
    setOthers(beside);
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
    // A file that is dropped again may hold something else.
    const kept = found.others.length > 0 ? {} : resources;
    setResources(kept);
    const texts = over.map((each) => each.text);
    if (bundle) dry.run({ bundle, overlays: texts, charms: known, resources: kept, beside });
  });
  const exported = useAct(
    () => bundles.export(model),
    ({ bundle }) => save(new TextEncoder().encode(bundle), `${model}.yaml`),
  );
  const planNow = (): void => {
    apply.reset();
    dry.run({ ...asked, beside: others });
  };
  const edit = (changed: string): void => {
    setText(changed);
    setPlan(null);
    dry.reset();
    apply.reset();
  };
  const planned = useRef<HTMLDivElement>(null);
  const refused = useRef<HTMLDivElement>(null);
  // What a dry run found is below a text that may fill the window.
  useEffect(() => {
    const found = dry.error != null ? refused.current : plan ? planned.current : null;
    found?.scrollIntoView?.({ block: "nearest" });
  }, [dry.error, plan]);
  const trusted = plan?.trusted ?? [];
  const missing = plan?.missing ?? [];
  const withheld = missing.length > 0 || (trusted.length > 0 && (!trust || !mayAdmin));
  const uploaded = Object.keys(charms);
  const busy = upload.busy || dry.busy || apply.busy || running;
  return (
    <>
      <section className="section" aria-label="Bundle">
        <h2 className="section__title">Bundle</h2>
        <BundleDrop busy={busy} mayWrite={mayWrite} onFiles={(files) => upload.run(files)} />
        {uploading && <p role="status">Uploading and compiling {uploading}…</p>}
        {upload.error != null && <Failure error={upload.error} />}
        {missing.length > 0 && (
          <p role="alert">
            Also drop the files that the bundle names:{" "}
            {missing.map(({ application, resource, file }) => `${file} (${resource} of ${application})`).join(", ")}
          </p>
        )}
        {uploaded.length > 0 && <p className="p-form-help-text">Uploaded charms: {uploaded.join(", ")}</p>}
        {overlays.length > 0 && (
          <p className="p-form-help-text">Overlays: {overlays.map(({ name }) => name).join(", ")}</p>
        )}
        <label htmlFor={`${id}-text`}>Bundle YAML</label>
        <textarea
          id={`${id}-text`}
          className="bundle-text"
          rows={12}
          spellCheck={false}
          value={text}
          disabled={busy}
          onChange={(event) => edit(event.target.value)}
        />
        <div ref={refused} className="bundle-found">
          {dry.error != null && <Refused error={dry.error} text={text} />}
        </div>
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
      <div ref={planned} className="bundle-found">
        {plan && <PlanView model={model} plan={plan} />}
      </div>
      {followed && <ApplyProgress followed={followed} onAgain={planNow} />}
      <DriftSection model={model} />
    </>
  );
}

/** Uploads what a plan lacks of the files that were dropped, each for the application that is given it. */
async function uploadMissing(
  model: string,
  missing: readonly BundleMissing[],
  beside: ReadonlyMap<string, File>,
): Promise<Resources> {
  let known: Resources = {};
  for (const { application, resource, file } of missing) {
    const found = beside.get(file.split("/").at(-1) ?? file);
    if (!found) continue;
    const { id, sha256 } = await uploadForLater(model, found);
    known = merged(known, { [application]: { [resource]: { sha256, upload: id } } });
  }
  return known;
}

function merged(one: Resources, other: Resources): Resources {
  const all = { ...one };
  for (const [application, files] of Object.entries(other)) all[application] = { ...all[application], ...files };
  return all;
}
