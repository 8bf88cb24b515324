import { useEffect, useState } from "react";

/** Seconds that are left of `seconds`, counted from when `cause` came; none without them. */
export function useCountdown(cause: unknown, seconds: number | undefined): number | null {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    if (!seconds) {
      setLeft(null);
      return;
    }
    const end = Date.now() + seconds * 1000;
    const tick = (): void => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [cause, seconds]);
  return left;
}
