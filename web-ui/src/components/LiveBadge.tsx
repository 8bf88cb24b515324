import { useHealth } from "../live/context";
import { clockTime, zonedTime } from "./charts/time";

/** Whether what is shown is how things are, and since when not. */
export function LiveBadge() {
  const { health, retry } = useHealth();
  if (health.state === "stale") {
    return (
      <button
        type="button"
        className="live-badge is-stale"
        title={`Since ${zonedTime(health.since * 1000)}: ${health.reason}; trying again. Press to try now.`}
        onClick={retry}
      >
        <span role="status">Stale since {clockTime(health.since * 1000)}</span>
      </button>
    );
  }
  if (health.state === "missing") return null;
  return (
    <span className={`live-badge is-${health.state}`} role="status">
      {health.state === "live" ? "Live" : "Connecting"}
    </span>
  );
}
