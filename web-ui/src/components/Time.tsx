import { machineTime, present, relativeTime, zonedTime } from "./charts/time";
import { useNow } from "../lib/useNow";

/**
 * How long ago, with the exact time to point at. Microseconds UTC. What happened after the shared clock's last
 * tick is no thing of the future.
 */
export function Time({ at }: { at: number | null | undefined }) {
  const now = useNow();
  if (!at) return <span className="muted">never</span>;
  return (
    <time dateTime={machineTime(at)} title={zonedTime(at)}>
      {relativeTime(at, at <= present() ? Math.max(at, now) : now)}
    </time>
  );
}
