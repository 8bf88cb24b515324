/** The secrets of a model: those that people added, and those of charms. */
import { useState } from "react";
import { useParams } from "react-router";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { useSecrets } from "../../live/context";
import { useAllowed } from "../../session";
import { AddSecretDialog } from "./AddSecretDialog";
import { SecretTable } from "./SecretTable";

export function SecretsPage() {
  const { model = "" } = useParams();
  const secrets = useSecrets(model);
  const mayWrite = useAllowed(model, "write");
  const [adding, setAdding] = useState(false);
  const add = mayWrite && (
    <button type="button" className="p-button" onClick={() => setAdding(true)}>
      Add secret
    </button>
  );
  return (
    <section className="section" aria-label="Secrets">
      {secrets.length === 0 ? (
        <Empty
          title="No secrets"
          cli={command("add-secret", "-m", model, "NAME", "--file", "values.yaml")}
          action={add}
        >
          Only applications that a secret is granted to can read it. Charms can have their own secrets as well.
        </Empty>
      ) : (
        <>
          <div className="section__head">
            <h2 className="section__title">
              Secrets <span className="section__count">{secrets.length}</span>
            </h2>
            {add}
          </div>
          <CopyTools cli={command("secrets", "-m", model)} request={{ path: paths.secrets(model) }} />
          <SecretTable model={model} secrets={secrets} caption={`Secrets of ${model}`} />
        </>
      )}
      {adding && <AddSecretDialog model={model} onClose={() => setAdding(false)} />}
    </section>
  );
}
