import { Link } from "react-router";
import type { WhyStep } from "../api/types";
import { toHookRun, toUnit } from "../lib/to";
import { Time } from "./Time";

/** A chain of causes: what was done last, and what each step comes from, back to what began it. */
export function Causes({ model, steps }: { model: string; steps: readonly WhyStep[] }) {
  if (steps.length === 0) return <p className="muted">No hook has run yet.</p>;
  return (
    <ol className="causes">
      {steps.map((step, place) => (
        <li key={place}>
          {place > 0 && <span className="muted">because </span>}
          {step.text} <Leads model={model} step={step} />
        </li>
      ))}
    </ol>
  );
}

/** Where a step leads: its run, its unit, its record in the audit log. */
function Leads({ model, step: { run, unit, task, audit, time } }: { model: string; step: WhyStep }) {
  return (
    <span className="causes__leads muted">
      {run != null && <Link to={toHookRun(model, run)}>Run {run}</Link>}
      {unit && <Link to={toUnit(model, unit)}>{unit}</Link>}
      {task != null && <span>Task {task}</span>}
      {audit != null && <span>Audit record {audit}</span>}
      {time && <Time at={time} />}
    </span>
  );
}
