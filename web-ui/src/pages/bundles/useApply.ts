/** Follows a bundle that is applied: each request is answered once more changes are made, or it has ended. */
import { useEffect, useState } from "react";
import { bundles } from "../../api";
import { ApiError } from "../../api/client";
import type { BundleApply } from "../../api/types";
import { delayBefore } from "../../live/connection";

/** Seconds that one request waits at most. */
const WAIT = 20;

export interface Followed {
  apply: BundleApply;
  /** Nothing is heard of it for now. */
  silent: boolean;
  /** Why it is not asked for any more. */
  error: unknown;
}

export interface World {
  ask: (taken: number) => Promise<BundleApply>;
  tell: (followed: Followed) => void;
  pause: (milliseconds: number) => Promise<void>;
}

/** Asks until it has ended, it cannot be asked for, or nobody is interested any more. */
export async function follow(apply: BundleApply, { ask, tell, pause }: World, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let known = apply;
  while (!signal.aborted && known.state === "running") {
    try {
      known = await ask(known.taken);
      if (signal.aborted) return;
      failures = 0;
      tell({ apply: known, silent: false, error: null });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        return tell({ apply: known, silent: false, error });
      }
      tell({ apply: known, silent: true, error: null });
      await pause(delayBefore(failures));
      failures += 1;
    }
  }
}

export function useApply(model: string, begun: BundleApply | null): Followed | null {
  const [followed, setFollowed] = useState<Followed | null>(null);
  useEffect(() => {
    setFollowed(begun && { apply: begun, silent: false, error: null });
    if (!begun) return;
    const stop = new AbortController();
    const { signal } = stop;
    const ask = (taken: number) => bundles.show(model, begun.id, { taken, wait: WAIT }, signal);
    const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    void follow(begun, { ask, tell: setFollowed, pause }, signal);
    return () => stop.abort();
  }, [model, begun]);
  return followed;
}
