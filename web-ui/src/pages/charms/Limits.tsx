import type { CharmLimits } from "../../api/types";
import { Facts } from "../../components/Fields";
import { bytes } from "../../lib/bytes";

/** Bounds of one hook run, the controller's defaults (`hook::Limits`). */
const DEFAULTS: CharmLimits = {
  "memory-bytes": 64 << 20,
  "table-elements": 20_000,
  "output-bytes": 1 << 20,
  "host-calls": 100_000,
  "wall-clock-ms": 60_000,
  "state-directory-bytes": 256 << 20,
};

const number = new Intl.NumberFormat("en");

/** What a hook of this charm may use; going beyond ends the hook with a failure that says so. */
export function Limits({ limits: told }: { limits: CharmLimits | undefined }) {
  const limits = told ?? DEFAULTS;
  return (
    <>
      <Facts
        rows={[
          ["Memory", bytes(limits["memory-bytes"])],
          ["Time for one hook", `${limits["wall-clock-ms"] / 1000} s`],
          ["State directory", bytes(limits["state-directory-bytes"])],
          ["Calls into the host", number.format(limits["host-calls"])],
          ["Output", bytes(limits["output-bytes"])],
          ["Table elements", number.format(limits["table-elements"])],
        ]}
      />
      {!told && (
        <p className="muted">
          These are the defaults; <code>periapt bootstrap --limits</code> may have set others. A hook
          that exceeds a limit fails, and its message names the limit and its size.
        </p>
      )}
    </>
  );
}
