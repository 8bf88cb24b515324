/**
 * Times and durations in words. A time is text in RFC 3339, as in the API, or microseconds since 1970, with which
 * charts count; durations are microseconds.
 */

export type Moment = string | number;

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The present, in microseconds. */
export function present(): number {
  return Date.now() * 1000;
}

/** A time in microseconds since 1970. */
export function micros(time: Moment): number {
  if (typeof time === 'number') return time;
  const fraction = /\.(\d{1,6})/.exec(time)?.[1] ?? '';
  return Date.parse(time.replace(/\.\d+/, '')) * 1000 + Number(fraction.padEnd(6, '0'));
}

/** A time as the API writes it, to the microsecond. */
export function timeText(time: number): string {
  const fraction = String(((time % SECOND) + SECOND) % SECOND).padStart(6, '0').replace(/0+$/, '');
  const whole = new Date(Math.floor(time / SECOND) * 1000).toISOString().slice(0, 19);
  return `${whole}${fraction && `.${fraction}`}Z`;
}

function dateOf(time: Moment): Date {
  return new Date(micros(time) / 1000);
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

/** `2026-11-21 15:04:05`, in the reader's time zone. */
export function exactTime(time: Moment): string {
  const date = dateOf(time);
  return (
    `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ` + clockTime(time)
  );
}

/** The reader's zone at a time: `UTC`, `UTC+01:00`. */
export function zoneText(time: Moment): string {
  const offset = -dateOf(time).getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `UTC${offset === 0 ? '' : `${offset < 0 ? '−' : '+'}${pad(hours)}:${pad(minutes)}`}`;
}

/** The same with the zone, `2026-11-21 15:04:05 UTC+01:00`: commands and logs tell another's. */
export function zonedTime(time: Moment): string {
  return `${exactTime(time)} ${zoneText(time)}`;
}

/** `15:04:05 UTC+01:00`. */
export function zonedClock(time: Moment): string {
  return `${clockTime(time)} ${zoneText(time)}`;
}

/** `15:04:05`, in the reader's time zone. */
export function clockTime(time: Moment): string {
  const date = dateOf(time);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** `2026-11-21T15:04:05.123Z`, for `<time dateTime>`. */
export function machineTime(time: Moment): string {
  const date = dateOf(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** `3 min ago`; `now` within a few seconds; `in 5 s` when it is yet to come. */
export function relativeTime(time: Moment, now: number): string {
  const distance = now - micros(time);
  if (Math.abs(distance) < 3 * SECOND) return 'now';
  const words = roughDuration(Math.abs(distance));
  return distance > 0 ? `${words} ago` : `in ${words}`;
}

/** One number and its unit: `<1 s`, `40 s`, `3 min`, `2 h`, `5 d`. */
export function roughDuration(duration: number): string {
  if (duration < SECOND) return '<1 s';
  if (duration < MINUTE) return `${Math.floor(duration / SECOND)} s`;
  if (duration < HOUR) return `${Math.floor(duration / MINUTE)} min`;
  if (duration < 2 * DAY) return `${Math.floor(duration / HOUR)} h`;
  return `${Math.floor(duration / DAY)} d`;
}

/** A measured duration with three figures: `0.85 ms`, `12.3 ms`, `4.20 s`, `2 min 5 s`. */
export function durationText(duration: number): string {
  if (duration < 1000) return `${Math.round(duration)} µs`;
  if (duration < SECOND) return `${threeFigures(duration / 1000)} ms`;
  if (duration < MINUTE) return `${threeFigures(duration / SECOND)} s`;
  if (duration < HOUR) {
    const seconds = Math.floor((duration % MINUTE) / SECOND);
    return `${Math.floor(duration / MINUTE)} min${seconds ? ` ${seconds} s` : ''}`;
  }
  const minutes = Math.floor((duration % HOUR) / MINUTE);
  return `${Math.floor(duration / HOUR)} h${minutes ? ` ${minutes} min` : ''}`;
}

function threeFigures(value: number): string {
  if (value >= 100) return String(Math.round(value));
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

const STEPS = [
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY,
];

/** Round times between `from` and `to`, at most `count` of them, with what to write at each. */
export function timeTicks(from: number, to: number, count: number): { time: number; text: string }[] {
  const span = to - from;
  if (!(span > 0) || count < 1) return [];
  const step = STEPS.find((candidate) => span / candidate <= count) ?? span / count;
  // Steps of hours and days begin at the reader's midnight, not at that of UTC.
  const zone = dateOf(from).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let time = Math.ceil((from - zone) / step) * step + zone; time <= to; time += step) {
    const clock = clockTime(time);
    const text = step >= DAY ? exactTime(time).slice(5, 10) : step >= MINUTE ? clock.slice(0, 5) : clock;
    ticks.push({ time, text });
  }
  return ticks;
}
