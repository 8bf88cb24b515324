import { useParams } from "react-router";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { grantedTo, ownedBy } from "../../lib/secrets";
import { useSecrets } from "../../live/context";
import { SecretTable } from "../secrets/SecretTable";

/** The secrets that an application and its units have, and those of others that they may read. */
export function ApplicationSecretsPage() {
  const { model = "", application = "" } = useParams();
  const secrets = useSecrets(model);
  const [own, granted] = [ownedBy(secrets, application), grantedTo(secrets, application)];
  return (
    <>
      <section className="section" aria-label={`Secrets owned by ${application}`}>
        <h2 className="section__title">Owned by {application}</h2>
        {own.length > 0 ? (
          <SecretTable model={model} secrets={own} caption={`Secrets of ${application}`} />
        ) : (
          <Empty
            title={`${application} has no secrets of its own`}
            cli={command("secrets", "-m", model, "--owner", application)}
          >
            Its charm can create secrets.
          </Empty>
        )}
      </section>
      <section className="section" aria-label={`Secrets granted to ${application}`}>
        <h2 className="section__title">Granted to {application}</h2>
        {granted.length > 0 ? (
          <SecretTable model={model} secrets={granted} caption={`Secrets granted to ${application}`} />
        ) : (
          <Empty
            title={`${application} may not read any other secrets`}
            cli={command("grant-secret", "-m", model, "SECRET", application)}
          >
            Users can grant it secrets, and charms can over relations.
          </Empty>
        )}
      </section>
    </>
  );
}
