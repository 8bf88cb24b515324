import { Link } from "react-router";
import { relations as relationApi } from "../../api";
import { CommandHint } from "../../components/Commands";
import { Failure } from "../../components/States";
import { command } from "../../lib/commands";
import { integrateAll, type Refused } from "../../lib/deployRelations";
import { toApplication } from "../../lib/to";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  name: string;
  refused: readonly Refused[];
  /** Tried again: what is still refused. */
  onTried: (refused: Refused[]) => void;
}

/** An application that is deployed, with relations that were refused. */
export function Deployed({ model, name, refused, onTried }: Properties) {
  const wanted = refused.map(({ endpoints }) => endpoints);
  const again = useAct(() => integrateAll(wanted, (endpoints) => relationApi.integrate(model, endpoints)), onTried);
  return (
    <section className="section" aria-label="After the deploy">
      <div className="p-notification--caution" role="alert">
        <div className="p-notification__content">
          <h2 className="p-notification__title">
            {name} is deployed, but {refused.length === 1 ? "a relation was" : `${refused.length} relations were`} refused
          </h2>
          <p className="p-notification__message">
            The application itself is not affected: <Link to={toApplication(model, name)}>go to {name}</Link>, or try
            again.
          </p>
        </div>
      </div>
      {refused.map(({ endpoints, error }) => (
        <section key={endpoints.join(" ")} aria-label={endpoints.join(" and ")}>
          <h3 className="section__title">
            {endpoints[0]} and {endpoints[1]}
          </h3>
          <Failure error={error} />
        </section>
      ))}
      <CommandHint cli={wanted.map((ends) => command("integrate", "-m", model, ...ends)).join("\n")} />
      <button type="button" className="p-button--positive" disabled={again.busy} onClick={() => again.run()}>
        {again.busy ? "Integrating…" : "Try again"}
      </button>
    </section>
  );
}
