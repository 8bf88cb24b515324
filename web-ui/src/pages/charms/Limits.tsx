import { useQuery } from "@tanstack/react-query";
import { controller } from "../../api";
import { Facts } from "../../components/Fields";
import { Failure, Loading } from "../../components/States";
import { bytes } from "../../lib/bytes";
import { counted } from "../../lib/counted";

/** What a hook may use on this controller; going beyond ends the hook with a failure that says so. */
export function Limits() {
  const info = useQuery({ queryKey: ["controller"], queryFn: controller.info });
  if (info.isPending) return <Loading what="the limits" rows={2} />;
  if (info.error) {
    return <Failure error={info.error} cli="periapt controllers" onRetry={() => void info.refetch()} />;
  }
  const limits = info.data["hook-limits"];
  if (!limits) return <p className="muted">This controller does not tell its limits.</p>;
  return (
    <>
      <Facts
        rows={[
          ["Memory", bytes(limits["memory-bytes"])],
          ["Time for one hook", `${counted(limits["wall-clock-ms"] / 1000)} s`],
          ["State directory", bytes(limits["state-directory-bytes"])],
          ["Calls into the host", counted(limits["host-calls"])],
          ["Output", bytes(limits["output-bytes"])],
          ["Table elements", counted(limits["table-elements"])],
        ]}
      />
      <p className="muted">
        These limits apply to every charm on this controller. A hook that exceeds one fails, and its message names the
        limit and its size.
      </p>
    </>
  );
}
