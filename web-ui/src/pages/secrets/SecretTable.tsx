import { Link } from "react-router";
import type { SecretInfo } from "../../api/types";
import { Items } from "../../components/Items";
import { Time } from "../../components/Time";
import { inOrder, isOfPeople, nameOf, newestOf, ownerOf } from "../../lib/secrets";
import { toApplication, toSecret, toUnit } from "../../lib/to";

/** Secrets without their values; what is done about one is on its own page. */
export function SecretTable({ model, secrets, caption }: { model: string; secrets: readonly SecretInfo[]; caption: string }) {
  return (
    <table className="list" aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">Secret</th>
          <th scope="col">Owner</th>
          <th scope="col">Revision</th>
          <th scope="col">Granted to</th>
          <th scope="col">Next rotation</th>
          <th scope="col">Updated</th>
        </tr>
      </thead>
      <tbody>
        {inOrder(secrets).map((secret) => (
          <tr key={secret.id} data-secret={secret.id}>
            <th scope="row">
              <Link to={toSecret(model, secret.id)}>{nameOf(secret)}</Link>
            </th>
            <td data-label="Owner">
              <Owner model={model} secret={secret} />
            </td>
            <td data-label="Revision">
              {newestOf(secret)}
              {secret.revisions.length > 1 && <span className="muted"> of {secret.revisions.length} kept</span>}
            </td>
            <td data-label="Granted to">
              <Granted model={model} secret={secret} />
            </td>
            <td data-label="Next rotation" className="nowrap">
              {secret["next-rotate"] ? <Time at={secret["next-rotate"]} /> : "—"}
            </td>
            <td data-label="Updated" className="nowrap">
              <Time at={secret["updated-at"]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Owner({ model, secret }: { model: string; secret: SecretInfo }) {
  if (isOfPeople(secret)) return ownerOf(secret);
  return <Who model={model} name={ownerOf(secret)} />;
}

/** A unit or an application. */
export function Who({ model, name }: { model: string; name: string }) {
  return <Link to={name.includes("/") ? toUnit(model, name) : toApplication(model, name)}>{name}</Link>;
}

function Granted({ model, secret }: { model: string; secret: SecretInfo }) {
  // One may be granted it in several relations.
  const names = [...new Set(secret.grants.map(({ to }) => to))];
  return (
    <Items
      none="nobody"
      of={names.map((name) => ({ key: name, shown: <Who model={model} name={name} /> }))}
    />
  );
}
