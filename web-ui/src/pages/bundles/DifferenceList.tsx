import type { BundleDifference } from "../../api/types";
import { differenceRows } from "../../lib/bundles";

/** What one of a bundle and the model has and the other has not. */
export function DifferenceList({ difference, caption }: { difference: BundleDifference; caption: string }) {
  const rows = differenceRows(difference);
  if (rows.length === 0) return <p className="muted">Nothing differs.</p>;
  return (
    <table className="list" aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">Of</th>
          <th scope="col">What</th>
          <th scope="col">In the bundle</th>
          <th scope="col">In the model</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, of, what, bundle, model }) => (
          <tr key={key}>
            <th scope="row">{of}</th>
            <td data-label="What">{what}</td>
            <td data-label="In the bundle">
              <Side value={bundle} />
            </td>
            <td data-label="In the model">
              <Side value={model} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Side({ value }: { value: string | null }) {
  if (value === null) return <span className="muted">none</span>;
  return value === "" ? <span className="muted">empty</span> : <code>{value}</code>;
}
