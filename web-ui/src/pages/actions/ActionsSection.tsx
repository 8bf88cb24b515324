/** What the units of an application, or one of them, can be asked to run. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { operations } from "../../api";
import * as paths from "../../api/paths";
import type { ActionInfo } from "../../api/types";
import { Clamped } from "../../components/Clamped";
import { CopyTools } from "../../components/Commands";
import { Empty, Failure, Loading } from "../../components/States";
import { formOf } from "../../lib/actions/fields";
import { command } from "../../lib/commands";
import { toOperations } from "../../lib/to";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { type Offer, RunDialog } from "./RunDialog";

interface Properties {
  model: string;
  application: string;
  /** Only this unit is asked. */
  unit?: string;
}

export function ActionsSection({ model, application, unit }: Properties) {
  const { units } = useModel(model);
  const mayWrite = useAllowed(model, "write");
  const [offer, setOffer] = useState<Offer | null>(null);
  const offered = useQuery({
    queryKey: ["application", application, "actions", model],
    queryFn: () => operations.offered(model, application),
  });
  const cli = command("actions", "-m", model, application);
  if (offered.isPending) return <Loading what="the actions" />;
  if (offered.error) return <Failure error={offered.error} cli={cli} onRetry={() => void offered.refetch()} />;
  const own = units.filter(
    (each) => each.application === application && each.life === "alive" && (unit === undefined || each.name === unit),
  );
  const onRun = mayWrite && own.length > 0 ? setOffer : null;
  const { actions, commands } = offered.data;
  const named = Object.entries(actions);
  const filter = unit === undefined ? `applications=${encodeURIComponent(application)}` : `units=${encodeURIComponent(unit)}`;
  return (
    <>
      <div className="section__head">
        <Link to={`${toOperations(model)}?${filter}`}>Operations of {unit ?? application}</Link>
        <CopyTools cli={cli} request={{ path: paths.actions(model, application) }} />
      </div>
      {named.length === 0 ? (
        <Empty title="This charm has no actions" cli={cli}>
          An action is a task that you can run on demand, such as a backup. A charm declares its actions in <code>actions.yaml</code>.
        </Empty>
      ) : (
        <ActionTable actions={named} onRun={onRun} />
      )}
      {mayWrite && own.length === 0 && <NoUnits unit={unit} any={named.length + commands.length > 0} />}
      {commands.length > 0 && <CommandTable commands={commands} onRun={onRun} />}
      {offer && (
        <RunDialog
          model={model}
          application={application}
          offer={offer}
          units={own}
          fixed={unit === undefined ? undefined : [unit]}
          onClose={() => setOffer(null)}
        />
      )}
    </>
  );
}

function NoUnits({ unit, any }: { unit: string | undefined; any: boolean }) {
  if (!any) return null;
  return <p className="muted">{unit ? `${unit} is being removed and runs nothing more.` : "There are no units to run them."}</p>;
}

interface TableProperties {
  /** None where nothing can be run. */
  onRun: ((offer: Offer) => void) | null;
}

function ActionTable({ actions, onRun }: TableProperties & { actions: [name: string, action: ActionInfo][] }) {
  return (
    <table className="list" aria-label="Actions">
      <thead>
        <tr>
          <th scope="col">Action</th>
          <th scope="col">Description</th>
          <th scope="col">Parameters</th>
          {onRun && <th scope="col">Run</th>}
        </tr>
      </thead>
      <tbody>
        {actions.map(([name, action]) => (
          <tr key={name} data-action={name}>
            <th scope="row">{name}</th>
            <td data-label="Description" className="message">
              <Clamped text={action.description} />
            </td>
            <td data-label="Parameters" className="message">
              <Clamped text={parametersText(action)} />
            </td>
            {onRun && (
              <td data-label="Run">
                <RunButton name={name} onClick={() => onRun({ name, action })} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CommandTable({ commands, onRun }: TableProperties & { commands: readonly string[] }) {
  return (
    <section className="section" aria-label="Commands">
      <h2 className="section__title">Commands</h2>
      <table className="list" aria-label="Commands">
        <thead>
          <tr>
            <th scope="col">Command</th>
            {onRun && <th scope="col">Run</th>}
          </tr>
        </thead>
        <tbody>
          {commands.map((name) => (
            <tr key={name} data-command={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              {onRun && (
                <td data-label="Run">
                  <RunButton name={name} onClick={() => onRun({ name, action: null })} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RunButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button type="button" className="p-button is-small" onClick={onClick}>
      Run<span className="u-off-screen"> {name}</span>
    </button>
  );
}

/** Their names; those that are needed say so. */
function parametersText({ schema }: ActionInfo): string {
  return formOf(schema)
    .fields.map(({ name, required }) => (required ? `${name} (required)` : name))
    .join(", ");
}
