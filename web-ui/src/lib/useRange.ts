import { useSearchParams } from "react-router";
import { type Range, rangeOf, withRange } from "./range";

/** The range of time in the address bar, shared by the timeline, the log, the hooks and the audit log of a model. */
export function useRange(): [Range, (range: Range) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = (range: Range): void => setParameters((known) => withRange(known, range), { replace: true });
  return [rangeOf(parameters), set];
}
