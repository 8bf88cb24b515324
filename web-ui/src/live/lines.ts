/** The log of a model as it is written, over server-sent events. */
import { useEffect, useRef, useState } from "react";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import type { LogRecord } from "../api/types";

export interface LogFilter {
  include?: string | undefined;
  exclude?: string | undefined;
  level?: string | undefined;
  /** Lines of the past to begin with. */
  tail?: number;
}

/** Lines kept in the page; the oldest go first. */
const MOST = 5000;

export type LogState = "connecting" | "live" | "broken";

export function useLog(
  model: string,
  filter: LogFilter,
): { records: LogRecord[]; state: LogState } {
  const [records, setRecords] = useState<LogRecord[]>([]);
  const [state, setState] = useState<LogState>("connecting");
  const address = withQuery(`${paths.model(model)}/logs`, { ...filter, follow: true });
  const waiting = useRef<LogRecord[]>([]);
  useEffect(() => {
    setRecords([]);
    setState("connecting");
    waiting.current = [];
    let fresh = true;
    const source = new EventSource(address);
    const take = (event: Event): void => {
      const { data } = event as MessageEvent<string>;
      if (data) waiting.current.push(JSON.parse(data) as LogRecord);
    };
    // Lines come unnamed or named by what they are.
    for (const name of ["message", "log", "line", "record"]) source.addEventListener(name, take);
    source.onopen = () => {
      setState("live");
      fresh = true;
    };
    source.onerror = () => setState("broken");
    const timer = setInterval(() => {
      if (waiting.current.length === 0) return;
      const more = waiting.current;
      waiting.current = [];
      const restart = fresh;
      fresh = false;
      setRecords((known) => append(restart ? [] : known, more));
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
