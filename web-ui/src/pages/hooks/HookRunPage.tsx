import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { hooks } from "../../api";
import { ApiError } from "../../api/client";
import * as paths from "../../api/paths";
import type { HookDetails, RunEffect } from "../../api/types";
import { StatusMark } from "../../components/charts";
import { hookName } from "../../components/charts/hooks/names";
import { clockTime, durationText, micros, present, zonedTime, zoneText } from "../../components/charts/time";
import { Causes } from "../../components/Causes";
import { CopyTools } from "../../components/Commands";
import { CopyButton } from "../../components/CopyButton";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { counted } from "../../lib/counted";
import { told } from "../../lib/incidents";
import { toCharm, toHookRun, toModel, toUnit } from "../../lib/to";

/** How long after its end a run may get more lines, microseconds. */
const LATE = 60_000_000;

/** One run of a hook: its log, what it saw and changed, how long it took and what it used. */
export function HookRunPage() {
  const { model = "", run = "" } = useParams();
  const found = useQuery({
    queryKey: ["hook-run", model, run],
    queryFn: () => hooks.report(model, Number(run)),
    // Lines of a hook that failed come a moment after its end.
    refetchInterval: ({ state: { data } }) =>
      data && present() - micros(data.run["started-at"]) - data.run.duration < LATE ? 2_000 : false,
  });
  const cli = command("show-hook", "-m", model, run);
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
    { to: `${toModel(model)}/hooks`, label: "Hooks" },
  ];
  if (found.isPending) return <Loading what="the hook" rows={8} />;
  if (found.error) {
    const gone = found.error instanceof ApiError && [400, 404].includes(found.error.status);
    return (
      <>
        <PageHead title={`Run ${run}`} crumbs={crumbs} />
        {gone ? (
          <Empty title="This run is not recorded" cli={command("hooks", "-m", model)}>
            Runs are deleted with their unit, when they are old, and when a unit has too many.
          </Empty>
        ) : (
          <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />
        )}
      </>
    );
  }
  const details = found.data;
  const one = details.run;
  return (
    <>
      <PageHead
        title={`${hookName(one.hook)} of ${one.unit}`}
        page={`Run ${one.id}`}
        crumbs={crumbs}
        aside={<StatusMark status={one.result} />}
        summary={
          <>
            {zonedTime(one["started-at"])} (<Time at={one["started-at"]} />)
          </>
        }
        tools={<CopyTools cli={cli} request={{ path: paths.hookReport(model, one.id) }} />}
        actions={<CopyButton text={location.href} label="Copy link" />}
      />
      {one.code && (
        <div className="p-notification--negative" role="note" aria-label="Failure">
          <div className="p-notification__content">
            <h5 className="p-notification__title">{one.message || "The hook failed"}</h5>
            <p className="failure__code">{one.code}</p>
          </div>
        </div>
      )}
      <dl className="hook-run__facts">
        <Fact name="Unit">
          <Link to={toUnit(model, one.unit)}>{one.unit}</Link>
        </Fact>
        {one.about && <Fact name="About">{one.about}</Fact>}
        <Fact name="Charm">
          <Link to={toCharm(model, one.charm)}>{one.charm}</Link>
        </Fact>
        <Fact name="Duration">
          {durationText(one.duration)} <Compared details={details} />
        </Fact>
        {one.waited ? <Fact name="Queued">{durationText(one.waited)}</Fact> : null}
        <Fact name="Last good run">
          {details["last-good"] != null ? (
            <Link to={toHookRun(model, details["last-good"])}>Run {details["last-good"]}</Link>
          ) : (
            <span className="muted">none before this one</span>
          )}
        </Fact>
      </dl>
      <Section title="Why it ran">
        <Causes model={model} steps={details.why} />
      </Section>
      <Section title="Limits">
        <Limits details={details} />
      </Section>
      <Section title="Effects">
        {details.effects.length === 0 ? (
          <p className="muted">{one.code ? "None: a failed hook changes nothing." : "None"}</p>
        ) : (
          <>
            {one.code && <p className="muted">These took effect at once; everything else was undone.</p>}
            <ul className="difference">
              {details.effects.map((effect, place) => (
                <Effect key={place} effect={effect} />
              ))}
            </ul>
          </>
        )}
      </Section>
      {details["last-good"] != null && (
        <Section title="Changed since the last good run">
          {details["changed-since"].length === 0 ? (
            <p className="muted">Neither the settings nor the charm of {one.application} changed.</p>
          ) : (
            <ul>
              {details["changed-since"].map((entry) => (
                <li key={entry.id}>
                  {told(entry)}{" "}
                  <span className="muted">
                    <Time at={entry.time} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Section>
      )}
      <Section title="Log" beside={details.lines.length > 0 && `times in ${zoneText(one["started-at"])}`}>
        {details.lines.length === 0 ? (
          <p className="muted">It logged nothing, or its lines have been deleted.</p>
        ) : (
          <pre className="hook-run__log" role="region" tabIndex={0} aria-label="Lines logged by this run">
            {details.lines
              .map(({ time, level, message }) => `${clockTime(micros(time) ?? 0)} ${level} ${message}`)
              .join("\n")}
          </pre>
        )}
        {details["more-lines"] && <p className="muted">Only the first lines are shown.</p>}
      </Section>
    </>
  );
}

/** How long it took beside what is usual. */
function Compared({ details: { run, typical } }: { details: HookDetails }) {
  if (!typical || typical.p50 <= 0) return null;
  const times = run.duration / typical.p50;
  const words = times >= 2 ? `${times.toFixed(1)} times the median` : "as usual";
  return (
    <span className="muted">
      ({words}: p50 {durationText(typical.p50)}, p99 {durationText(typical.p99)} over{" "}
      {typical.runs} {typical.runs === 1 ? "run" : "runs"})
    </span>
  );
}

function Limits({ details: { run } }: { details: HookDetails }) {
  const { usage, limits } = run;
  if (!usage) return <p className="muted">It never ran in a sandbox.</p>;
  const rows: [string, number, number | undefined, (value: number) => string][] = [
    ["Memory", usage["memory-bytes"], limits?.["memory-bytes"], bytes],
    ["Host calls", usage["host-calls"], limits?.["host-calls"], counted],
    ["Output", usage["output-bytes"], limits?.["output-bytes"], bytes],
    ["State directory", usage["state-directory-bytes"], limits?.["state-directory-bytes"], bytes],
  ];
  return (
    <ul className="limits">
      {rows.map(([name, used, limit, shown]) => (
        <li key={name}>
          <span>{name}</span>
          <meter aria-label={name} min={0} max={limit ?? Math.max(used, 1)} high={(limit ?? 0) * 0.8 || undefined} value={used} />
          <span>
            {shown(used)}
            {limit !== undefined && <span className="muted"> of {shown(limit)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

const MARKS = { added: "+", changed: "~", removed: "−" } as const;

function Effect({ effect: { kind, change, subject, becomes } }: { effect: RunEffect }) {
  return (
    <li className={`difference__line is-${change}`}>
      <span aria-hidden="true">{MARKS[change]}</span>
      <span className="u-off-screen">{change}</span> <span className="muted">{kind}</span> {subject}
      {becomes != null && <> → {becomes}</>}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Section({ title, beside, children }: { title: string; beside?: ReactNode; children: ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <h2 className="section__title">
        {title} {beside && <span className="section__count">{beside}</span>}
      </h2>
      {children}
    </section>
  );
}
