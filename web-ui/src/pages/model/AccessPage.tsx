import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { models } from "../../api";
import * as paths from "../../api/paths";
import type { ModelPermission } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { SelectField, TextField } from "../../components/Fields";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useAllowed } from "../../session";

const MEANING: [ModelPermission, string][] = [
  ["read", "read: look at everything"],
  ["write", "write: deploy, configure, scale, resolve, remove"],
  ["admin", "admin: share, change the model's configuration, destroy it"],
];

/** Who may do what in this model. */
export function AccessPage() {
  const { model = "" } = useParams();
  const queries = useQueryClient();
  const mayAdmin = useAllowed(model, "admin");
  const [revoking, setRevoking] = useState<string | null>(null);
  const queryKey = ["access", model];
  const access = useQuery({ queryKey, queryFn: () => models.access(model) });
  const changed = (): void => void queries.invalidateQueries({ queryKey });
  const cli = command("status", "-m", model);
  if (access.isPending) return <Loading what="the access" />;
  if (access.error) return <Failure error={access.error} cli={cli} onRetry={() => void access.refetch()} />;
  const rows = access.data.filter((row) => row.access !== null);
  return (
    <section className="section" aria-label="Access">
      <CopyTools cli="periapt users" request={{ path: `${paths.model(model)}/access` }} />
      {rows.length === 0 ? (
        <Empty title="Only superusers have access" cli={command("grant", "USER", "read", model)} />
      ) : (
        <table className="list" aria-label="Access">
          <thead>
            <tr>
              <th scope="col">User</th>
              <th scope="col">Name</th>
              <th scope="col">Access</th>
              {mayAdmin && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.user}>
                <th scope="row">{row.user}</th>
                <td data-label={row["display-name"] ? "Name" : undefined}>{row["display-name"]}</td>
                <td data-label="Access">
                  {row.access}
                  {row.owner && <span className="tag">owner</span>}
                </td>
                {mayAdmin && (
                  <td data-label="Change">
                    {row.owner ? (
                      "—"
                    ) : (
                      <button type="button" className="p-button is-small" onClick={() => setRevoking(row.user)}>
                        Revoke<span className="u-off-screen"> access of {row.user}</span>
                      </button>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {mayAdmin && <GrantForm model={model} onDone={changed} />}
      {revoking && (
        <Revoke
          model={model}
          user={revoking}
          onClose={() => {
            setRevoking(null);
            changed();
          }}
        />
      )}
    </section>
  );
}

function GrantForm({ model, onDone }: { model: string; onDone: () => void }) {
  const [user, setUser] = useState("");
  const [access, setAccess] = useState<ModelPermission>("read");
  const grant = useAct(
    () => models.grant(model, user.trim(), access),
    () => {
      setUser("");
      onDone();
    },
  );
  return (
    <form
      className="inline-form"
      aria-label="Grant access"
      onSubmit={(event) => {
        event.preventDefault();
        grant.run();
      }}
    >
      <h2 className="section__title">Grant access</h2>
      <div className="inline-form__row">
        <TextField label="User" value={user} onChange={setUser} />
        <SelectField
          label="Access"
          value={access}
          options={MEANING}
          onChange={(value) => setAccess(value as ModelPermission)}
        />
        <button type="submit" className="p-button--positive" disabled={!user.trim() || grant.busy}>
          Grant
        </button>
      </div>
      {grant.error != null && <Failure error={grant.error} />}
      <CommandHint
        cli={command("grant", user || "USER", access, model)}
        request={{ method: "PUT", path: paths.modelAccess(model, user || "USER"), body: { access } }}
      />
    </form>
  );
}

function Revoke({ model, user, onClose }: { model: string; user: string; onClose: () => void }) {
  const revoke = useAct(() => models.revoke(model, user, "read"), onClose);
  return (
    <ConfirmByName
      title={`Revoke the access of ${user}`}
      name={user}
      submit="Revoke access"
      busy={revoke.busy}
      error={revoke.error}
      onConfirm={() => revoke.run()}
      onClose={onClose}
    >
      <p>
        {user} will no longer see model {model}, at once and in every session.
      </p>
      <CommandHint
        cli={command("revoke", user, "read", model)}
        request={{ method: "DELETE", path: paths.modelAccess(model, user), body: { access: "read" } }}
      />
    </ConfirmByName>
  );
}
