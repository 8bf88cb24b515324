import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type FleetView, viewOf, withView } from "../../../lib/fleet/address";

/** A moment after the last key: the address follows what is typed, and is not written for each letter. */
const SETTLED = 200;

export interface FleetAddress {
  view: FleetView;
  /** What stands in the filter now; the address follows. */
  text: string;
  type: (text: string) => void;
  /** Has the address follow at once, before somebody leaves. */
  settle: () => void;
  change: (change: Partial<FleetView>) => void;
}

/** The view of the tables: it lives in the address, so that a link shows what its sender saw. */
export function useFleetView(): FleetAddress {
  const [parameters, setParameters] = useSearchParams();
  const view = useMemo(() => viewOf(parameters), [parameters]);
  const [text, setText] = useState(view.text);
  /** What was typed and the address does not show yet: on its way there it is late, or overtaken. */
  const typed = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = useRef({ parameters, setParameters });
  current.current = { parameters, setParameters };

  // Whatever else changes the address, a link or Back, changes the field. What was typed a moment ago and arrives late
  // must not take back a letter that came since.
  useEffect(() => {
    if (typed.current === view.text) typed.current = null;
    else if (typed.current === null) setText(view.text);
  }, [view.text]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = useCallback((change: Partial<FleetView>): void => {
    clearTimeout(timer.current);
    const { parameters, setParameters } = current.current;
    const shown = viewOf(parameters);
    const next = { ...shown, ...(typed.current !== null && { text: typed.current }), ...change };
    if (change.text !== undefined) setText(change.text);
    typed.current = next.text === shown.text ? null : next.text;
    const changed = withView(parameters, next);
    if (changed.toString() !== parameters.toString()) setParameters(changed, { replace: true });
  }, []);

  const settle = useCallback((): void => {
    if (typed.current !== null) change({});
  }, [change]);

  const type = useCallback(
    (text: string): void => {
      setText(text);
      typed.current = text;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => change({}), SETTLED);
    },
    [change],
  );
  return { view, text, type, settle, change };
}
