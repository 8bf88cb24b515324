import { machineTime, micros, type Moment, present, relativeTime, zonedTime } from "./charts/time";
import { useNow } from "../lib/useNow";

/**
 * How long ago, with the exact time to point at. What happened after the shared clock's last
 * tick is no thing of the future.
 */
export function Time({ at: moment }: { at: Moment | null | undefined }) {
  const now = useNow();
  // What never happened is at the beginning of time.
  const at = moment == null ? 0 : micros(moment);
  if (!at) return <span className="muted">never</span>;
  return (
    <time dateTime={machineTime(at)} title={zonedTime(at)}>
      {relativeTime(at, at <= present() ? Math.max(at, now) : now)}
    </time>
  );
}
