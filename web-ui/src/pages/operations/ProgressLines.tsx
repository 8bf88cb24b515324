import { useLayoutEffect, useRef } from "react";
import type { TaskLine } from "../../api/types";
import { preciseClock } from "../../components/charts/log/records";
import { zonedTime, machineTime } from "../../components/charts/time";

/** Near the end counts as at the end, pixels. */
const NEAR = 24;

/** What a task told while it ran. Who reads the end stays at the end. */
export function ProgressLines({ lines, label }: { lines: readonly TaskLine[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div
      ref={box}
      className="progress"
      role="log"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {lines.map(({ time, message }, place) => (
        <p key={place}>
          <time className="muted" dateTime={machineTime(time)} title={zonedTime(time)}>
            {preciseClock(time)}
          </time>{" "}
          {message}
        </p>
      ))}
    </div>
  );
}
