import { Link } from "react-router";
import type { SecretInfo } from "../../api/types";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { isLasting, isOfPeople, nameOf } from "../../lib/secrets";
import { toRelation } from "../../lib/to";
import { Who } from "./SecretTable";

interface Properties {
  model: string;
  secret: SecretInfo;
  onRevoke: ((from: string) => void) | null;
}

/** Who may read a secret beside its owner, and for how long. */
export function GrantTable({ model, secret, onRevoke }: Properties) {
  if (secret.grants.length === 0) {
    return isOfPeople(secret) ? (
      <Empty title="Not granted to any application" cli={command("grant-secret", "-m", model, nameOf(secret), "APPLICATION")}>
        Grant it to the applications that need it.
      </Empty>
    ) : (
      <Empty title="Only its owner can read it">Its charm grants it in a relation.</Empty>
    );
  }
  return (
    <table className="list" aria-label="Grants">
      <thead>
        <tr>
          <th scope="col">To</th>
          <th scope="col">Valid until</th>
          {onRevoke && <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {secret.grants.map((grant) => (
          <tr key={`${grant.to} ${grant.relation ?? ""}`}>
            <th scope="row">
              <Who model={model} name={grant.to} />
            </th>
            <td data-label="Valid until">
              {isLasting(grant) ? (
                "revoked"
              ) : (
                <>
                  <Link to={toRelation(model, grant.relation ?? 0)}>relation {grant.relation}</Link> is removed
                </>
              )}
            </td>
            {onRevoke && (
              <td data-label="Actions">
                <button type="button" className="p-button is-small" onClick={() => onRevoke(grant.to)}>
                  Revoke<span className="u-off-screen"> from {grant.to}</span>
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
