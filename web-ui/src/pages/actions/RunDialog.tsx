/** Asks what an action or a command is given and where it runs, starts it, and leads to its operation. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { operations } from "../../api";
import * as paths from "../../api/paths";
import type { ActionInfo, UnitInfo } from "../../api/types";
import { unwrapped } from "../../components/charts/unwrapped";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { More } from "../../components/More";
import { formOf, type Parameters } from "../../lib/actions/fields";
import { refusedParameters } from "../../lib/actions/refusal";
import {
  type Asked,
  NO_OPTIONS,
  type Options,
  requestOf,
  runCommand,
  type Target,
  timeoutError,
} from "../../lib/actions/request";
import { MORE, NEEDED, readForm, startTexts, type Texts } from "../../lib/actions/values";
import { joined, split } from "../../lib/actions/words";
import { toOperation } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { Labelled, ParameterFields, shortened } from "./ParameterFields";
import { RunOptions } from "./RunOptions";
import { TargetFields } from "./TargetFields";

/** What can be run. */
export type Offer = { name: string; action: ActionInfo } | { name: string; action: null };

/** What an earlier run was given. */
export interface Start {
  parameters?: Parameters;
  /** Of a command, without its name. */
  words?: readonly string[];
  target?: Target;
  options?: Options;
}

interface Properties {
  model: string;
  application: string;
  offer: Offer;
  /** Those that can be chosen. */
  units: readonly UnitInfo[];
  /** Runs on these, without a choice. */
  fixed?: readonly string[] | undefined;
  start?: Start;
  onClose: () => void;
}

export function RunDialog({ model, application, offer, units, fixed, start = {}, onClose }: Properties) {
  const navigate = useNavigate();
  const { name, action } = offer;
  const form = useMemo(() => formOf(action?.schema ?? {}, start.parameters), []);
  const first = useMemo(() => startTexts(form, start.parameters), []);
  const [texts, setTexts] = useState(first);
  const [line, setLine] = useState(() => joined(start.words ?? []));
  const [chosen, setTarget] = useState<Target>(start.target ?? { who: "all", units: [] });
  const [options, setOptions] = useState(start.options ?? NO_OPTIONS);
  const [attempts, setAttempts] = useState(0);
  const [sent, setSent] = useState<Texts | null>(null);
  const body = useRef<HTMLDivElement>(null);

  const target: Target = fixed ? { who: "named", units: fixed } : chosen;
  const { parameters, errors } = readForm(form, texts);
  const words = split(line);
  const asked: Asked = action ? { action: name, parameters } : { command: [name, ...("words" in words ? words.words : [])] };
  const request = requestOf(asked, application, target, options);
  const wrong = {
    words: action || "words" in words ? null : words.error,
    target: target.who === "named" && target.units.length === 0 ? "Choose at least one unit" : null,
    timeout: timeoutError(options.timeout),
  };
  const ready = Object.values(wrong).every((each) => each === null) && (!action || Object.keys(errors).length === 0);

  const run = useAct(
    () => operations.start(model, request),
    ({ id }) => {
      onClose();
      void navigate(toOperation(model, id));
    },
  );
  const refused = action ? refusedParameters(run.error, form) : null;
  // What was refused stays refused until it is changed.
  const isSent = (path: string): boolean => sent !== null && (texts === sent || (path in sent && texts[path] === sent[path]));
  const errorOf = (path: string): string | null => {
    const own = errors[path];
    const isShown = attempts > 0 || (own !== NEEDED && texts[path] !== first[path]);
    if (own !== undefined) return isShown ? own : null;
    return isSent(path) ? (refused?.fields[path] ?? null) : null;
  };
  useEffect(() => {
    // To what has to be changed, whoever found it.
    body.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempts, run.error]);

  const where = fixed ? fixed.join(", ") : application;
  return (
    <Dialog
      title={`Run ${name} on ${where}`}
      submit="Run"
      busy={run.busy}
      error={refused?.whole ? null : run.error}
      onSubmit={() => {
        setAttempts(ready ? 0 : attempts + 1);
        if (!ready) return;
        setSent(texts);
        run.run();
      }}
      onClose={onClose}
    >
      <div ref={body}>
        {action?.description && <p className="prose">{shortened(unwrapped(action.description))}</p>}
        {action ? (
          <ParameterFields
            fields={form.fields}
            texts={texts}
            errorOf={errorOf}
            onChange={(path, text) => setTexts({ ...texts, [path]: text })}
          />
        ) : (
          <Labelled label="Arguments" error={wrong.words} help="Separated by spaces, as in a shell; quotes keep words together">
            {(shared) => (
              <input
                {...shared}
                type="text"
                className="mono"
                value={line}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                onChange={(event) => setLine(event.target.value)}
              />
            )}
          </Labelled>
        )}
        {action && form.more && (
          <More summary="More parameters (JSON)" needed={first[MORE] !== "" || errorOf(MORE) !== null}>
            <Labelled
              label="More parameters"
              error={errorOf(MORE)}
              help='The charm also takes parameters that it does not declare, such as {"name": "value"}'
            >
              {(shared) => (
                <textarea
                  {...shared}
                  rows={4}
                  value={texts[MORE] ?? ""}
                  spellCheck={false}
                  onChange={(event) => setTexts({ ...texts, [MORE]: event.target.value })}
                />
              )}
            </Labelled>
          </More>
        )}
        {!fixed && (
          <TargetFields
            units={units}
            target={chosen}
            error={attempts > 0 ? wrong.target : null}
            onChange={setTarget}
          />
        )}
        <RunOptions
          options={options}
          error={wrong.timeout}
          parallel={action?.parallel}
          group={action?.["execution-group"]}
          onChange={setOptions}
        />
        {refused?.whole && texts === sent && (
          <p role="alert" className="p-form-validation__message">
            The controller refused some parameters. The reasons are shown beside them.
          </p>
        )}
        <CommandHint
          cli={runCommand(model, request, units.map((unit) => unit.name))}
          request={{ method: "POST", path: paths.operations(model), body: request }}
        />
      </div>
    </Dialog>
  );
}
