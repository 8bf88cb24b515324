/** One task of an operation: how far it is, and when it is open what it was given, told and answered. */
import { useId } from "react";
import { Link } from "react-router";
import * as paths from "../../api/paths";
import type { TaskInfo } from "../../api/types";
import { Name } from "../../components/charts";
import { zonedClock } from "../../components/charts/time";
import { Clamped } from "../../components/Clamped";
import { CommandHint } from "../../components/Commands";
import { Failure } from "../../components/States";
import { TaskMark } from "../../components/TaskMark";
import { ValueTree } from "../../components/ValueTree";
import { command } from "../../lib/commands";
import { askedText, canCancel, furtherTask, hasEnded, receiverOf, tookText } from "../../lib/operations";
import { toMachine, toUnit } from "../../lib/to";
import { useSeconds } from "../../lib/useNow";
import { useProgress } from "../../live/progress";
import { ProgressLines } from "./ProgressLines";
import { Results } from "./Results";

interface Properties {
  model: string;
  task: TaskInfo;
  open: boolean;
  onToggle: () => void;
  /** None where it cannot be cancelled. */
  onCancel: (() => void) | null;
}

export function TaskSection({ model, task, open, onToggle, onCancel }: Properties) {
  const now = useSeconds(!hasEnded(task.status));
  const id = useId();
  const receiver = receiverOf(task);
  return (
    <section className="task" aria-label={`Task ${task.id} on ${receiver}`} data-task={task.id}>
      <div className="task__head">
        <h2 className="task__title">
          <Link to={task.machine == null ? toUnit(model, receiver) : toMachine(model, task.machine)}>
            <Name text={receiver} />
          </Link>
        </h2>
        <TaskMark status={task.status} />
        <span className="muted nowrap">{tookText(task, now)}</span>
        <span className="task__message">{!open && task.message && <Clamped text={task.message} />}</span>
        <div className="row-actions">
          {onCancel && canCancel(task.status) && (
            <button type="button" className="p-button is-small" aria-label={`Cancel task ${task.id}`} onClick={onCancel}>
              Cancel
            </button>
          )}
          <button
            type="button"
            className="p-button is-small"
            aria-expanded={open}
            aria-controls={id}
            onClick={onToggle}
          >
            {open ? "Hide" : "Show"}
            <span className="u-off-screen"> details of task {task.id}</span>
          </button>
        </div>
      </div>
      <div id={id} hidden={!open} className="task__body">
        {open && <TaskDetails model={model} task={task} />}
      </div>
    </section>
  );
}

function TaskDetails({ model, task: known }: { model: string; task: TaskInfo }) {
  const { task: told, lines, silentSince, error } = useProgress(model, known.id);
  const task = told ? furtherTask(told, known) : known;
  const { parameters = {}, command: words = [] } = task;
  const cli = command("show-task", "-m", model, String(task.id));
  return (
    <>
      {silentSince !== null && (
        <p className="waiting" role="status">
          No news of this task since {zonedClock(silentSince * 1000)}. It may have continued. Trying again.
        </p>
      )}
      {error != null && <Failure error={error} cli={cli} />}
      {words.length > 0 && (
        <div className="task__part">
          <h3 className="task__label">Command</h3>
          <code className="task__command">{askedText(task)}</code>
        </div>
      )}
      {Object.keys(parameters).length > 0 && (
        <div className="task__part">
          <h3 className="task__label">Parameters</h3>
          <ValueTree value={parameters} />
        </div>
      )}
      {task.message && (
        <div className="task__part">
          <h3 className="task__label">Message</h3>
          <p className="task__text">{task.message}</p>
        </div>
      )}
      {lines.length > 0 && (
        <div className="task__part">
          <h3 className="task__label">Progress</h3>
          <ProgressLines lines={lines} label={`Progress of task ${task.id}`} />
        </div>
      )}
      {told?.results && <Results results={told.results} />}
      <Nothing task={task} told={told} quiet={lines.length === 0} />
      <CommandHint cli={cli} request={{ path: paths.task(model, task.id) }} />
    </>
  );
}

/** What to expect where there is nothing to be seen. */
function Nothing({ task, told, quiet }: { task: TaskInfo; told: TaskInfo | null; quiet: boolean }) {
  if (!told || !quiet) return null;
  if (task.status === "pending") return <p className="muted">It waits for its turn on {receiverOf(task)}.</p>;
  if (!hasEnded(task.status)) return <p className="muted">No progress messages yet.</p>;
  const silent = Object.keys(told.results ?? {}).length === 0 && task.status === "completed";
  return silent ? <p className="muted">It ended without results.</p> : null;
}
