import type { SecretInfo } from "../../api/types";
import { Items } from "../../components/Items";
import { Time } from "../../components/Time";
import { Who } from "./SecretTable";

interface Properties {
  model: string;
  secret: SecretInfo;
  onReveal: ((revision: number) => void) | null;
  onRemove: ((revision: number) => void) | null;
}

/** The revisions of a secret, the newest first, with the units that are on each. */
export function RevisionTable({ model, secret, onReveal, onRemove }: Properties) {
  return (
    <table className="list" aria-label="Revisions">
      <thead>
        <tr>
          <th scope="col">Revision</th>
          <th scope="col">Backend</th>
          <th scope="col">Read by</th>
          <th scope="col">Added</th>
          <th scope="col">Expires</th>
          {(onReveal || onRemove) && <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {secret.revisions.toReversed().map(({ revision, backend, readers, expires, ...rest }) => (
          <tr key={revision} data-revision={revision}>
            <th scope="row">{revision}</th>
            <td data-label="Backend">{backend}</td>
            <td data-label="Read by">
              <Items
                none="nobody"
                of={(readers ?? []).map((name) => ({ key: name, shown: <Who model={model} name={name} /> }))}
              />
            </td>
            <td data-label="Added" className="nowrap">
              <Time at={rest["created-at"]} />
            </td>
            <td data-label="Expires" className="nowrap">
              {expires ? <Time at={expires} /> : "never"}
            </td>
            {(onReveal || onRemove) && (
              <td data-label="Actions">
                <div className="row-actions">
                  {onReveal && (
                    <button type="button" className="p-button is-small" onClick={() => onReveal(revision)}>
                      Reveal<span className="u-off-screen"> revision {revision}</span>
                    </button>
                  )}
                  {onRemove && (
                    <button type="button" className="p-button is-small" onClick={() => onRemove(revision)}>
                      Remove<span className="u-off-screen"> revision {revision}</span>
                    </button>
                  )}
                </div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
