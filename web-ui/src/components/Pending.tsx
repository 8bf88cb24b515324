import { useHealth } from "../live/context";
import { Empty, Loading } from "./States";

/** For what comes with the event stream: on its way, or not to come as long as the stream is broken. */
export function Pending({ what, rows = 4 }: { what: string; rows?: number }) {
  const { health, retry } = useHealth();
  if (health.state !== "stale") return <Loading what={what} rows={rows} />;
  return (
    <Empty
      title="The controller does not answer"
      cli="periapt controller start"
      action={
        <button type="button" className="p-button" onClick={retry}>
          Try now
        </button>
      }
    >
      This page appears as soon as it is back.
    </Empty>
  );
}
