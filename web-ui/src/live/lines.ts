/** The log of a model as it is written, over server-sent events. */
import { useEffect, useRef, useState } from "react";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import type { LogRecord } from "../api/types";

export interface LogFilter {
  include?: string | undefined;
  exclude?: string | undefined;
  level?: string | undefined;
  "include-module"?: string | undefined;
  "exclude-module"?: string | undefined;
  /** RFC 3339. */
  from?: string | undefined;
  to?: string | undefined;
  /** Lines of the past to begin with. */
  tail?: number;
}

/** Lines kept in the page; the oldest go first. */
const MOST = 5000;

export type LogState = "connecting" | "live" | "broken";

/** Where the lines come from, those of the past first. */
export function logAddress(model: string, filter: LogFilter): string {
  return withQuery(paths.logs(model), { ...filter, follow: true });
}

export function useLog(
  model: string,
  filter: LogFilter,
): { records: LogRecord[]; state: LogState } {
  const [records, setRecords] = useState<LogRecord[]>([]);
  const [state, setState] = useState<LogState>("connecting");
  const address = logAddress(model, filter);
  const waiting = useRef<LogRecord[]>([]);
  useEffect(() => {
    setRecords([]);
    setState("connecting");
    waiting.current = [];
    const source = new EventSource(address);
    const take = (event: Event): void => {
      const { data } = event as MessageEvent<string>;
      if (data) waiting.current.push(JSON.parse(data) as LogRecord);
    };
    source.addEventListener("log", take);
    source.addEventListener("dropped", () => setState("broken"));
    // A stream that broke is resumed by the browser after the last line it got.
    source.onopen = () => setState("live");
    source.onerror = () => setState("broken");
    const timer = setInterval(() => {
      if (waiting.current.length === 0) return;
      const more = waiting.current;
      waiting.current = [];
      setRecords((known) => append(known, more));
    }, 100);
    return () => {
      clearInterval(timer);
      source.close();
    };
  }, [address]);
  return { records, state };
}

export function append(known: LogRecord[], more: LogRecord[]): LogRecord[] {
  const joined = known.length > 0 ? [...known, ...more] : more;
  return joined.length > MOST ? joined.slice(joined.length - MOST) : joined;
}
