/**
 * What a removal waits for, as the API says it: causes, and steps with a time. Those are words such
 * as `until 2026-11-22T21:50:00Z, then it goes by force`; a page shows the time left instead.
 */
import { relativeTime } from "../components/charts/time";

export interface Waiting {
  /** What it waits for, in the controller's words. */
  causes: string[];
  /** When it goes on by force; microseconds. */
  forced: number | null;
  /** How the last try by force failed. */
  tried: string;
}

const STEP = /^until (\d{4}-\d\d-\d\dT[\d:.]+Z), then /;
const TRIED = /\(tried already: (.*)\)$/;

export function waitingOf(words: readonly string[]): Waiting {
  const waiting: Waiting = { causes: [], forced: null, tried: "" };
  for (const word of words) {
    const at = Date.parse(STEP.exec(word)?.[1] ?? "") * 1000;
    if (Number.isNaN(at)) {
      waiting.causes.push(word);
      continue;
    }
    waiting.forced = Math.min(waiting.forced ?? at, at);
    waiting.tried ||= TRIED.exec(word)?.[1] ?? "";
  }
  return waiting;
}

/** `Waiting for the agent of machine 3. Forced removal in 23 h.` */
export function waitingText(words: readonly string[], now: number): string {
  const { causes, forced, tried } = waitingOf(words);
  const sentences = [];
  if (causes.length > 0) sentences.push(`Waiting for ${causes.join(", ")}.`);
  if (forced !== null) {
    sentences.push(forced > now ? `Forced removal ${relativeTime(forced, now)}.` : "Forced removal is due.");
  }
  if (tried) sentences.push(`The last attempt failed: ${tried}.`);
  return sentences.join(" ");
}
