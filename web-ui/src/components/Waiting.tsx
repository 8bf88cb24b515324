import { useNow } from "../lib/useNow";
import { waitingOf, waitingText } from "../lib/waiting";
import { zonedTime } from "./charts/time";

/** What something still waits for, and when it is removed by force. */
export function Waiting({ words }: { words: readonly string[] | undefined }) {
  const now = useNow();
  if (!words?.length) return null;
  const { forced } = waitingOf(words);
  return (
    <p className="waiting" title={forced === null ? undefined : `Forced removal at ${zonedTime(forced)}`}>
      {waitingText(words, now)}
    </p>
  );
}
