import { Link } from "react-router";
import type { StorageInfo } from "../../api/types";
import { StatusMark } from "../../components/charts";
import { Items } from "../../components/Items";
import { inOrder, sizeOf, unitsOf } from "../../lib/storage";
import { toStorage } from "../../lib/to";
import { Who } from "../secrets/SecretTable";

/** Storage and who has it; what is done about one is on its own page. */
export function StorageTable({ model, storages, caption }: { model: string; storages: readonly StorageInfo[]; caption: string }) {
  return (
    <table className="list" aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">Storage</th>
          <th scope="col">Attached to</th>
          <th scope="col">Pool</th>
          <th scope="col">Size</th>
          <th scope="col">Status</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {inOrder(storages).map((storage) => (
          <tr key={storage.id} data-storage={storage.id}>
            <th scope="row">
              <Link to={toStorage(model, storage.id)}>{storage.id}</Link>
            </th>
            <td data-label="Attached to">
              <AttachedTo model={model} storage={storage} />
            </td>
            <td data-label="Pool">{storage.pool}</td>
            <td data-label="Size">{sizeOf(storage)}</td>
            <td data-label="Status" className="nowrap">
              <StatusMark status={storage.status.status} />
            </td>
            <td data-label="Message" className="message">
              {storage.status.message || "—"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function AttachedTo({ model, storage }: { model: string; storage: StorageInfo }) {
  const units = unitsOf(storage).map((unit) => ({ key: unit, shown: <Who model={model} name={unit} /> }));
  return <Items none="nobody" of={units} />;
}
