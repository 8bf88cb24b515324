import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { hooks, logs, units } from "../../api";
import type { UnitInfo } from "../../api/types";
import { zonedClock, zonedTime, machineTime, relativeTime, roughDuration } from "../../components/charts/time";
import { preciseClock } from "../../components/charts/log/records";
import { CopyButton } from "../../components/CopyButton";
import { Failure } from "../../components/States";
import { command } from "../../lib/commands";
import { type FailedHook, failedHook } from "../../lib/failedHook";
import { sentence } from "../../lib/sentence";
import { toHookRun, toUnit } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useNow } from "../../lib/useNow";
import { SkipDialog } from "./SkipDialog";

interface Properties {
  model: string;
  unit: UnitInfo;
  mayWrite: boolean;
}

/** A failed hook: why, since when, when it is run again, what was logged, and the two ways on. */
export function ResolveBanner({ model, unit, mayWrite }: Properties) {
  const [skipping, setSkipping] = useState(false);
  const retry = useAct(() => units.resolve(model, unit.name, true));
  const failed = failedHook(unit);
  if (!failed) return null;
  const { hook, what, reason, since } = failed;
  return (
    <section className="p-notification--negative" aria-label="Failed hook">
      <div className="p-notification__content">
        <h2 className="p-notification__title">{hook ? `Hook ${hook} failed` : sentence(what)}</h2>
        {reason && <p className="failed__reason">{reason}</p>}
        <p className="p-notification__message">
          <Since at={since} /> <NextRetry failed={failed} /> Fix the cause, then retry or skip the hook.{" "}
          {hook && <FailedRun model={model} unit={unit.name} hook={hook} />}
          <Link to={`${toUnit(model, unit.name)}?view=hooks&as=list`}>Earlier runs</Link>
        </p>
        <LastLines model={model} unit={unit.name} />
        {mayWrite && (
          <div className="actions">
            <button type="button" className="p-button--positive" disabled={retry.busy} onClick={() => retry.run()}>
              Retry hook
            </button>
            <button type="button" className="p-button" disabled={retry.busy} onClick={() => setSkipping(true)}>
              Skip hook
            </button>
            <CopyButton text={command("resolved", "-m", model, unit.name)} label="Copy as CLI" />
          </div>
        )}
        {retry.error != null && <Failure error={retry.error} />}
      </div>
      {skipping && (
        <SkipDialog model={model} unit={unit.name} hook={hook} onClose={() => setSkipping(false)} />
      )}
    </section>
  );
}

/** To the run that failed last: what it saw, changed and logged. Nothing where no run is recorded. */
function FailedRun({ model, unit, hook }: { model: string; unit: string; hook: string }) {
  const filter = { unit, hook, result: "failed", limit: 1 };
  const found = useQuery({ queryKey: ["hooks", model, filter], queryFn: () => hooks.page(model, filter) });
  const run = found.data?.items[0];
  return run ? (
    <>
      <Link to={toHookRun(model, run.id)}>See the failed run</Link>{" · "}
    </>
  ) : null;
}

function Since({ at }: { at: number }) {
  const now = useNow();
  return (
    <>
      In error for{" "}
      <time dateTime={machineTime(at)} title={zonedTime(at)}>
        {roughDuration(Math.max(0, now - at))}
      </time>
      .
    </>
  );
}

function NextRetry({ failed: { nextRetry, waitingFor } }: { failed: FailedHook }) {
  const now = useNow();
  if (waitingFor) return `The next run is ${waitingFor}.`;
  if (nextRetry === null) return "It is not retried automatically.";
  if (nextRetry <= now) return "The next automatic retry is due.";
  return `Next automatic retry ${relativeTime(nextRetry, now)}, at ${zonedClock(nextRetry)}.`;
}

const LINES = 6;

/** What the unit logged last: mostly the reason in the charm's own words. */
function LastLines({ model, unit }: { model: string; unit: string }) {
  const tail = useQuery({
    queryKey: ["log-tail", unit, model],
    queryFn: () => logs.tail(model, unit, LINES),
  });
  const box = useRef<HTMLOListElement>(null);
  // The newest are at the end, and the reason among them.
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [tail.data]);
  if (!tail.data?.length) return null;
  return (
    <figure className="failed__log">
      <figcaption>
        Last log lines · <Link to={`${toUnit(model, unit)}?view=log`}>whole log</Link>
      </figcaption>
      <ol ref={box} aria-label={`Last log lines of ${unit}`} tabIndex={0}>
        {tail.data.map((record, place) => (
          <li key={place}>
            <span className="muted">
              {preciseClock(record.time)} {record.level}
            </span>{" "}
            {record.message}
          </li>
        ))}
      </ol>
    </figure>
  );
}
