import { useEffect, useMemo, useState } from "react";
import { useVisitor } from "../session";
import { readRecents, recentsKey, thingOf, withoutGone, withRecent, writeRecents } from "./recents";
import type { Target } from "./search";

/** Where this visitor was lately on this controller; what is gone is forgotten as soon as a list shows it. */
export function useRecents(pathname: string, targets: readonly Target[], known: ReadonlySet<string>): readonly string[] {
  const { session, whoami } = useVisitor();
  const key = session && whoami ? recentsKey(whoami.controller, session.user) : null;
  const thing = thingOf(pathname);
  const [visited, setVisited] = useState<readonly string[]>([]);
  useEffect(() => {
    if (key === null) return;
    const before = readRecents(key);
    const now = thing === null ? before : withRecent(before, thing);
    if (thing !== null) writeRecents(key, now);
    setVisited(now);
  }, [key, thing]);
  const left = useMemo(() => withoutGone(visited, new Set(targets.map(({ to }) => to)), known), [visited, targets, known]);
  useEffect(() => {
    // Another tab may have been elsewhere meanwhile.
    if (key !== null && left.length < visited.length) {
      const gone = new Set(visited.filter((path) => !left.includes(path)));
      writeRecents(key, readRecents(key).filter((path) => !gone.has(path)));
      setVisited(left);
    }
  }, [key, left, visited]);
  return left;
}
