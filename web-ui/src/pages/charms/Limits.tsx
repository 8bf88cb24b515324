import { Facts } from "../../components/Fields";
import { bytes } from "../../lib/bytes";

/** Bounds of one hook run, the controller's defaults (`hook::Limits`). */
const LIMITS = {
  "memory-bytes": 64 << 20,
  "table-elements": 20_000,
  "output-bytes": 1 << 20,
  "host-calls": 100_000,
  "wall-clock-ms": 60_000,
  "state-directory-bytes": 256 << 20,
};

const number = new Intl.NumberFormat("en");

/** What a hook may use; going beyond ends the hook with a failure that says so. */
export function Limits() {
  return (
    <>
      <Facts
        rows={[
          ["Memory", bytes(LIMITS["memory-bytes"])],
          ["Time for one hook", `${LIMITS["wall-clock-ms"] / 1000} s`],
          ["State directory", bytes(LIMITS["state-directory-bytes"])],
          ["Calls into the host", number.format(LIMITS["host-calls"])],
          ["Output", bytes(LIMITS["output-bytes"])],
          ["Table elements", number.format(LIMITS["table-elements"])],
        ]}
      />
      <p className="muted">
        These are the defaults; <code>periapt bootstrap --limits</code> may have set others. A hook that
        exceeds a limit fails, and its message names the limit and its size.
      </p>
    </>
  );
}
