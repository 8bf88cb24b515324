/** What the API tells about a unit whose hook failed. */
import type { UnitInfo } from "../api/types";
import { micros } from "../components/charts/time";

export interface FailedHook {
  /** None when it was not a hook that failed but the charm that could not be put in place. */
  hook: string | null;
  /** What happened, in the controller's words. */
  what: string;
  /** Why, where it is known. */
  reason: string;
  /** When it came to this; microseconds. */
  since: number;
  /** When it is run again by itself; microseconds. None: only when somebody says so. */
  nextRetry: number | null;
  /** What the next run still waits for, in the controller's words. */
  waitingFor: string;
}

export function failedHook({ workload }: Pick<UnitInfo, "workload">): FailedHook | null {
  if (workload.status !== "error") return null;
  const { hook, reason, "next-retry": next, "waiting-for": waiting } = workload.data ?? {};
  return {
    hook: typeof hook === "string" ? hook : null,
    what: workload.message,
    reason: typeof reason === "string" ? reason : "",
    since: micros(workload.since),
    nextRetry: typeof next === "string" ? micros(next) : null,
    waitingFor: typeof waiting === "string" ? waiting : "",
  };
}
