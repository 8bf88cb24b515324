/** Records of the log in words. Pure. */
import type { Tone } from '../status';
import { clockTime, exactTime, micros, type Moment } from '../time';
import type { LogRecord } from '../types';

const TONES: Record<string, Tone> = {
  ERROR: 'negative',
  CRITICAL: 'negative',
  WARNING: 'caution',
  INFO: 'information',
};

export function levelTone(level: string): Tone {
  return TONES[level] ?? 'neutral';
}

/** A line as `debug-log` prints it, with the date: it is read elsewhere later. */
export function recordText(record: LogRecord): string {
  return `${record.entity}: ${exactTime(record.time)} ${record.level} ${record.module} ${record.message}`;
}

/** `15:04:05.123`. */
export function preciseClock(time: Moment): string {
  const milliseconds = Math.floor(micros(time) / 1000) % 1000;
  return `${clockTime(time)}.${String(milliseconds).padStart(3, '0')}`;
}

/** The time of a line: the clock of today, and the date before that of another day. */
export function lineTime(time: number, now: number): string {
  const date = exactTime(time).slice(0, 10);
  return date === exactTime(now).slice(0, 10) ? preciseClock(time) : `${date.slice(5)} ${preciseClock(time)}`;
}

/** How high a record is before it has been drawn, in pixels. */
export function guessedHeight(record: LogRecord, width: number): number {
  const narrow = width < NARROW;
  const columns = Math.max(10, Math.floor((narrow ? width - 16 : width - SIDE) / CHARACTER));
  const message = record.message.length + record.module.length + 2;
  const lines = Math.max(1, Math.ceil(message / columns)) + (record.message.match(/\n/g)?.length ?? 0);
  return (lines + (narrow ? 1 : 0)) * LINE + 4;
}

/** Below this width a record's message stands under its time. */
export const NARROW = 720;
const SIDE = 330;
const CHARACTER = 7.7;
const LINE = 20;

/** A text cut at what is to be marked: every second part is a hit. */
export function marked(text: string, needle: string): string[] {
  if (needle === '') return [text];
  const parts: string[] = [];
  const [lower, wanted] = [text.toLowerCase(), needle.toLowerCase()];
  // Lower case may be longer than the text (İ): then places would not agree.
  if (lower.length !== text.length) return [text];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
}
