/** One question about many things, then what became of each of them. */
import { type ReactNode, useRef, useState } from "react";
import { ApiError } from "../../../../api/client";
import { StatusMark } from "../../../../components/charts";
import { Dialog } from "../../../../components/Dialog";
import { TextField } from "../../../../components/Fields";
import { Prose } from "../../../../components/Prose";
import { doAll, type Outcome, type Task } from "../../../../lib/fleet/bulk";
import { sentence } from "../../../../lib/sentence";

interface Properties {
  title: string;
  submit: string;
  danger?: boolean;
  /** What has to be typed first. */
  confirm?: string | undefined;
  disabled?: boolean;
  /** What is done, in the moment it is asked for. */
  tasks: () => Task[];
  /** What can be chosen otherwise before those that were refused are tried again. */
  again?: ReactNode;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
}

export function BulkDialog(properties: Properties) {
  const { title, submit, danger = false, confirm, disabled = false, tasks, again, onClose, children } = properties;
  const [typed, setTyped] = useState("");
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome> | null>(null);
  const [busy, setBusy] = useState(false);
  const begun = useRef<Task[]>([]);

  const run = async (some: Task[]): Promise<void> => {
    setBusy(true);
    setOutcomes((known) => new Map([...(known ?? []), ...some.map(({ name }): [string, Outcome] => [name, { state: "waiting" }])]));
    await doAll(some, (name, outcome) => setOutcomes((known) => new Map(known).set(name, outcome)));
    setBusy(false);
  };
  const failed = begun.current.filter(({ name }) => outcomes?.get(name)?.state === "failed");
  const answer = (): void => {
    if (outcomes === null) {
      begun.current = tasks();
      void run(begun.current);
    } else if (failed.length > 0) {
      const now = new Map(tasks().map((task) => [task.name, task]));
      void run(failed.map((task) => now.get(task.name) ?? task));
    } else onClose();
  };
  const before = outcomes === null;
  return (
    <Dialog
      title={title}
      submit={before ? submit : failed.length > 0 ? `Try the ${failed.length} again` : "Done"}
      danger={before && danger}
      disabled={before && disabled}
      unconfirmed={before && confirm !== undefined && typed !== confirm}
      busy={busy}
      cancel={before || busy || failed.length > 0}
      dismiss={before ? "Cancel" : "Close"}
      onSubmit={answer}
      onClose={onClose}
    >
      {before ? (
        <>
          {children}
          {confirm !== undefined && <TextField label={`Type ${confirm} to confirm`} value={typed} onChange={setTyped} />}
        </>
      ) : (
        <>
          <Results outcomes={outcomes} />
          {failed.length > 0 && !busy && again}
        </>
      )}
    </Dialog>
  );
}

function Results({ outcomes }: { outcomes: ReadonlyMap<string, Outcome> }) {
  const all = [...outcomes];
  const of = (state: Outcome["state"]): number => all.filter(([, outcome]) => outcome.state === state).length;
  const refused = of("failed");
  return (
    <>
      <p role="status">
        {of("done")} of {all.length} done{refused > 0 && `, ${refused} refused`}
      </p>
      <ul className="results" aria-label="Results" tabIndex={0}>
        {all.map(([name, outcome]) => (
          <li key={name} data-result={name}>
            <strong>{name}</strong> <StatusMark status={WORDS[outcome.state]} like={LOOKS[outcome.state]} />
            {outcome.state === "failed" && <Reason error={outcome.error} />}
          </li>
        ))}
      </ul>
    </>
  );
}

const WORDS: Record<Outcome["state"], string> = { waiting: "waiting", working: "working", done: "done", failed: "refused" };
const LOOKS: Record<Outcome["state"], string> = { waiting: "", working: "executing", done: "ok", failed: "error" };

function Reason({ error }: { error: unknown }) {
  const problem = error instanceof ApiError ? error.problem : null;
  const detail = problem?.detail || problem?.title || (error instanceof Error ? error.message : String(error));
  return (
    <p className="results__reason">
      <Prose text={sentence(detail)} /> {problem?.advice && <Prose text={sentence(problem.advice)} />}
    </p>
  );
}
