import { useEffect, useMemo } from "react";
import type { UnitInfo } from "../api/types";
import { unitStatus } from "../lib/attention";
import { showFavicon } from "../lib/favicon";
import { useEverywhere } from "../live/context";

/** Has the browser's tab tell how many units are in error, of the model or of all that the visitor sees. */
export function FaviconBadge() {
  const units = useEverywhere<UnitInfo>("unit");
  const count = useMemo(() => units.filter(({ entity }) => unitStatus(entity) === "error").length, [units]);
  useEffect(() => showFavicon(count), [count]);
  useEffect(() => () => showFavicon(0), []);
  return null;
}
