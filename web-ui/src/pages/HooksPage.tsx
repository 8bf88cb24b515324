import { useParams } from "react-router";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import { hookName } from "../components/charts/hooks/names";
import { CopyTools } from "../components/Commands";
import { Filters } from "../components/Filters";
import { HookRuns } from "../components/HookRuns";
import { TimeRange } from "../components/TimeRange";
import { command } from "../lib/commands";
import { useFilters } from "../lib/useFilters";
import { useRange } from "../lib/useRange";

const NAMES = ["unit", "hook", "result"] as const;

const HOOKS = [
  "install",
  "leader-elected",
  "config-changed",
  "start",
  "update-status",
  "upgrade-charm",
  "stop",
  "remove",
];

/** Hooks of a model, or of one application in it. */
export function HooksPage() {
  const { model = "", application } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const [{ from, to }] = useRange();
  // A link may be about any hook, action or command.
  const hooks = values.hook && !HOOKS.includes(values.hook) ? [...HOOKS, values.hook] : HOOKS;
  const filter = {
    application,
    unit: values.unit || undefined,
    hook: values.hook || undefined,
    result: values.result || undefined,
    since: from ?? undefined,
    until: to ?? undefined,
  };
  return (
    <section className="section" aria-label="Hooks">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "unit", label: "Unit" },
            { name: "hook", label: "Hook", options: [["", "All"], ...hooks.map((hook): [string, string] => [hook, hookName(hook)])] },
            { name: "result", label: "Result", options: [["", "All"], ["ok", "ok"], ["failed", "failed"]] },
          ]}
          values={values}
          onChange={set}
          onClear={clear}
        />
        <CopyTools
          cli={command("debug-log", "-m", model, "--replay", "--no-tail", values.unit && "--include", values.unit)}
          request={{ path: withQuery(`${paths.model(model)}/hooks`, filter) }}
        />
      </div>
      <TimeRange />
      <HookRuns model={model} filter={filter} showUnit />
    </section>
  );
}
