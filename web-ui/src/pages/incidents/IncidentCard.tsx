import { useId } from "react";
import { Link } from "react-router";
import { incidents } from "../../api";
import type { IncidentInfo } from "../../api/types";
import { StatusMark } from "../../components/charts";
import { micros } from "../../components/charts/time";
import { Items } from "../../components/Items";
import { Failure } from "../../components/States";
import { Time } from "../../components/Time";
import { heading, told } from "../../lib/incidents";
import { rangeSearch, withRange } from "../../lib/range";
import { toApplication, toHookRun, toMachine, toTimeline, toUnit } from "../../lib/to";
import { useAct } from "../../lib/useAct";

/** So many units are named; the rest is counted. */
const NAMED = 6;
/** What happened so long before is shown with an incident's timeline, microseconds. */
const BEFORE = 600_000_000;

interface Properties {
  model: string;
  incident: IncidentInfo;
  mayWrite: boolean;
  onChanged: () => void;
  onSkip: () => void;
  onSilence: () => void;
}

/** One thing that is wrong, with its story and what can be done about it. */
export function IncidentCard({ model, incident, mayWrite, onChanged, onSkip, onSilence }: Properties) {
  const retry = useAct(() => incidents.retry(model, incident.id), onChanged);
  const hear = useAct(() => incidents.endSilence(model, incident.id), onChanged);
  const titleId = useId();
  const { units, silenced } = incident;
  const links = units.slice(0, NAMED).map((name) => ({
    key: name,
    shown: <Link to={toUnit(model, name)}>{name}</Link>,
  }));
  if (units.length > NAMED) links.push({ key: "", shown: <span>{units.length - NAMED} more</span> });
  const around = rangeSearch(withRange(new URLSearchParams(), { from: micros(incident.since) - BEFORE, to: null }));
  return (
    <article className={silenced ? "incident is-silenced" : "incident"} aria-labelledby={titleId} data-incident={incident.id}>
      <header className="incident__head">
        <h2 id={titleId}>{heading(incident)}</h2>
        <StatusMark status={incident.status} />
        {units.length > 0 && (
          <span className="incident__count">
            {units.length} {units.length === 1 ? "unit" : "units"}
          </span>
        )}
        <span className="muted">
          since <Time at={incident.since} />
        </span>
      </header>
      <p className="incident__reason">{incident.reason || "No reason given"}</p>
      <dl className="incident__facts">
        {links.length > 0 && <Fact name="Units"><Items of={links} /></Fact>}
        {links.length === 0 && incident.application && (
          <Fact name="Application">
            <Link to={toApplication(model, incident.application)}>{incident.application}</Link>
          </Fact>
        )}
        {incident.machine && (
          <Fact name="Machine">
            <Link to={toMachine(model, incident.machine)}>{incident.machine}</Link>
          </Fact>
        )}
        {incident["last-line"] && (
          <Fact name="Last line">
            <code>{incident["last-line"].message}</code>{" "}
            <span className="muted">
              {incident["last-line"].unit}, <Time at={incident["last-line"].time} />
            </span>
          </Fact>
        )}
        {incident.retriable && (
          <Fact name="Next retry">
            {incident["next-retry"] ? <Time at={incident["next-retry"]} /> : "Manual only"}
            {incident["waiting-for"] && <span className="muted"> waits for {incident["waiting-for"]}</span>}
            <span className="muted">
              {" "}
              ({incident.attempts} {incident.attempts === 1 ? "attempt" : "attempts"} so far)
            </span>
          </Fact>
        )}
        <Fact name="Changed before">
          {incident["changed-before"].length === 0 ? (
            <span className="muted">Nothing in the hour before</span>
          ) : (
            <ul>
              {incident["changed-before"].map((entry) => (
                <li key={entry.id}>
                  {told(entry)} <span className="muted"><Time at={entry.time} /></span>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {silenced && (
          <Fact name="Silenced">
            {silenced.until ? <>ends <Time at={silenced.until} /></> : "until it changes"}
          </Fact>
        )}
      </dl>
      {retry.error != null && <Failure error={retry.error} />}
      {hear.error != null && <Failure error={hear.error} />}
      <footer className="incident__foot">
        {mayWrite && incident.retriable && (
          <>
            <button type="button" className="p-button--positive" disabled={retry.busy} onClick={() => retry.run()}>
              {units.length === 1 ? "Retry" : "Retry all"}
            </button>
            <button type="button" className="p-button" onClick={onSkip}>
              {units.length === 1 ? "Skip" : "Skip all"}
            </button>
          </>
        )}
        {mayWrite &&
          (silenced ? (
            <button type="button" className="p-button" disabled={hear.busy} onClick={() => hear.run()}>
              End silence
            </button>
          ) : (
            <button type="button" className="p-button" onClick={onSilence}>
              Silence
            </button>
          ))}
        {incident.run != null && <Link to={toHookRun(model, incident.run)}>Last run</Link>}
        <Link to={toTimeline(model) + around}>What changed?</Link>
      </footer>
    </article>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
