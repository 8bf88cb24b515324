/** One secret: what is known of it, who may read it, and what can be done about it. Its values are a question away. */
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import * as paths from "../../api/paths";
import type { SecretInfo } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { found, isOfPeople, nameOf, newestOf } from "../../lib/secrets";
import { toModel, toSecrets } from "../../lib/to";
import { useReady, useSecrets } from "../../live/context";
import { useAllowed } from "../../session";
import { GrantDialog, RemoveRevisionDialog, RemoveSecretDialog, RevokeDialog } from "./AccessDialogs";
import { GrantTable } from "./GrantTable";
import { RevealDialog } from "./RevealDialog";
import { RevisionTable } from "./RevisionTable";
import { Owner } from "./SecretTable";
import { UpdateSecretDialog } from "./UpdateSecretDialog";

type Asked =
  | { what: "update" | "grant" | "remove" }
  | { what: "revoke"; from: string }
  | { what: "reveal" | "remove-revision"; revision: number }
  | null;

export function SecretPage() {
  const { model = "", secret: name = "" } = useParams();
  const ready = useReady();
  const secret = found(useSecrets(model), name);
  const mayWrite = useAllowed(model, "write");
  const mayAdmin = useAllowed(model, "admin");
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>(null);
  const [close] = useState(() => () => setAsked(null));
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
    { to: toSecrets(model), label: "Secrets" },
  ];
  if (!secret) {
    return (
      <>
        <PageHead title={name} crumbs={crumbs} />
        {ready ? (
          <Empty title={`There is no secret ${name} in ${model}`} cli={command("secrets", "-m", model)}>
            It was removed, or has another name. Go back to the <Link to={toSecrets(model)}>secrets</Link>.
          </Empty>
        ) : (
          <Pending what={`secret ${name}`} />
        )}
      </>
    );
  }
  const changeable = mayWrite && isOfPeople(secret);
  const of = { model, secret, onClose: close };
  return (
    <>
      <PageHead
        title={nameOf(secret)}
        crumbs={crumbs}
        summary={secret.description}
        tools={
          <CopyTools cli={command("show-secret", "-m", model, secret.id)} request={{ path: paths.secret(model, secret.id) }} />
        }
        actions={
          <>
            {mayAdmin && (
              <button
                type="button"
                className="p-button"
                onClick={() => setAsked({ what: "reveal", revision: newestOf(secret) })}
              >
                Reveal
              </button>
            )}
            {changeable && (
              <>
                <button type="button" className="p-button" onClick={() => setAsked({ what: "grant" })}>
                  Grant
                </button>
                <button type="button" className="p-button" onClick={() => setAsked({ what: "update" })}>
                  Update
                </button>
                <button type="button" className="p-button is-danger" onClick={() => setAsked({ what: "remove" })}>
                  Remove
                </button>
              </>
            )}
          </>
        }
      />
      <SecretFacts model={model} secret={secret} />
      {!isOfPeople(secret) && <p className="muted">It belongs to a charm, which changes and grants it.</p>}
      <section className="section" aria-label="Granted to">
        <h2 className="section__title">Granted to</h2>
        <GrantTable
          model={model}
          secret={secret}
          onRevoke={changeable ? (from) => setAsked({ what: "revoke", from }) : null}
        />
      </section>
      <section className="section" aria-label="Revisions">
        <h2 className="section__title">Revisions</h2>
        <RevisionTable
          model={model}
          secret={secret}
          onReveal={mayAdmin ? (revision) => setAsked({ what: "reveal", revision }) : null}
          onRemove={
            changeable && secret.revisions.length > 1
              ? (revision) => setAsked({ what: "remove-revision", revision })
              : null
          }
        />
      </section>
      {asked?.what === "update" && <UpdateSecretDialog {...of} />}
      {asked?.what === "grant" && <GrantDialog {...of} />}
      {asked?.what === "revoke" && <RevokeDialog {...of} from={asked.from} />}
      {asked?.what === "reveal" && <RevealDialog key={asked.revision} {...of} revision={asked.revision} />}
      {asked?.what === "remove-revision" && <RemoveRevisionDialog {...of} revision={asked.revision} />}
      {asked?.what === "remove" && <RemoveSecretDialog {...of} onDone={() => void navigate(toSecrets(model))} />}
    </>
  );
}

function SecretFacts({ model, secret }: { model: string; secret: SecretInfo }) {
  return (
    <Facts
      rows={[
        ["ID", <code key="id" className="digest">{secret.id}</code>],
        ["Owner", <Owner key="owner" model={model} secret={secret} />],
        ["Rotation", secret.rotate],
        ["Next rotation", secret["next-rotate"] ? <Time key="next" at={secret["next-rotate"]} /> : "none"],
        ["Expires", secret.expires ? <Time key="expires" at={secret.expires} /> : "never"],
        ["Unread revisions", secret["auto-prune"] ? "removed at once" : "kept"],
        ["Added", <Time key="added" at={secret["created-at"]} />],
        ["Updated", <Time key="updated" at={secret["updated-at"]} />],
      ]}
    />
  );
}
