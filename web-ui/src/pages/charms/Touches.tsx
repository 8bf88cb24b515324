import type { CharmInfo } from "../../api/types";

/** What a charm declares beyond what every charm has: capabilities, and what it shares. */
export function Touches({ charm }: { charm: CharmInfo }) {
  const shared = Object.entries(charm.shared ?? {});
  // Shared directories and storage are among the capabilities too, in words.
  const rest = charm.capabilities.filter((words) => !/^may read (and write )?(\/shared\/|the storage )/.test(words));
  const storage = Object.entries(charm.metadata.storage ?? {});
  if (shared.length + rest.length + storage.length === 0) {
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
          <th scope="col">What</th>
          <th scope="col">How</th>
          <th scope="col">With whom</th>
        </tr>
      </thead>
      <tbody>
        {shared.map(([name, access]) => (
          <tr key={name}>
            <th scope="row" className="mono">/shared/{name}</th>
            <td data-label="How">{access === "read-only" ? "reads" : "reads and writes"}</td>
            <td data-label="With whom" className="message">
              The principal and those of its subordinates whose charms declare it too
            </td>
          </tr>
        ))}
        {storage.map(([name, declared]) => (
          <tr key={name}>
            <th scope="row" className="mono">{declared.location ?? `/storage/${name}`}</th>
            <td data-label="How">{declared["read-only"] ? "reads" : "reads and writes"}</td>
            <td data-label="With whom" className="message">
              {declared.description ||
                (declared.shared ? "All units of its application" : "One unit at a time; storage can outlive the unit")}
            </td>
          </tr>
        ))}
        {rest.map((words) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td data-label="How">as declared</td>
            <td data-label="With whom">—</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
