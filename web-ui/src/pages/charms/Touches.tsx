import type { CharmInfo } from "../../api/types";
import { declaredOf } from "../../lib/grants";

/** What a charm declares beyond what every charm has. */
export function Touches({ charm }: { charm: CharmInfo }) {
  const declared = declaredOf(charm);
  if (declared.length === 0) {
    return (
      <p className="muted">
        Only its own state and a hook's temporary files, like every charm.
      </p>
    );
  }
  return (
    <table className="list" aria-label="What it may touch">
      <thead>
        <tr>
          <th scope="col">Capability</th>
          <th scope="col">Allows</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {declared.map(({ capability, allows, why }) => (
          <tr key={capability}>
            <th scope="row" className="mono">{capability}</th>
            <td data-label="Allows">{allows}</td>
            <td data-label="Reason" className="message">{why ?? "—"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
