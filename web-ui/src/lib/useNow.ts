import { useEffect, useState, useSyncExternalStore } from "react";

/** One clock for all relative times; it ticks every ten seconds while anybody looks. */
let now = Date.now() * 1000;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now() * 1000;
    for (const each of listeners) each();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present in microseconds, at most ten seconds old. */
export function useNow(): number {
  if (!timer) now = Date.now() * 1000;
  return useSyncExternalStore(subscribe, () => now);
}

/** The present in microseconds, each second as long as it is wanted. */
export function useSeconds(wanted: boolean): number {
  const [seconds, setSeconds] = useState(() => Date.now() * 1000);
  useEffect(() => {
    if (!wanted) return;
    setSeconds(Date.now() * 1000);
    const timer = setInterval(() => setSeconds(Date.now() * 1000), 1000);
    return () => clearInterval(timer);
  }, [wanted]);
  return seconds;
}
