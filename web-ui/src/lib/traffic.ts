/** Requests by the minute as the charts take them. */
import type { Traffic, TrafficMinute } from "../api/types";
import { micros } from "../components/charts/time";
import { type Drawn, formatFor } from "./figures";

/** Microseconds in words. */
const seconds = formatFor("seconds");
export const duration = (microseconds: number): string => seconds(microseconds / 1_000_000);

export const formatOf = (unit: string): ((value: number) => string) =>
  unit === "microseconds" ? duration : formatFor(unit);

/** Rate, errors and latency; nothing where nobody asked anything. */
export function drawnTraffic({ minutes }: Traffic): Drawn[] {
  if (!minutes.some(({ requests }) => requests > 0)) return [];
  // A minute that is not over would look like a fall; it is shown while there is no other.
  const over = minutes.slice(0, -1);
  const shown = over.some(({ requests }) => requests > 0) ? over : minutes;
  const series = (name: string, value: (minute: TrafficMinute) => number | null) => ({
    name,
    points: shown.map((minute) => ({ time: micros(minute.time), value: value(minute) })),
  });
  return [
    { title: "Requests per minute", unit: "count", series: [series("requests", ({ requests }) => requests)] },
    {
      title: "Errors per minute",
      unit: "count",
      series: [
        series("4xx", (minute) => minute["client-errors"]),
        series("5xx", (minute) => minute["server-errors"]),
      ],
    },
    {
      title: "Latency",
      unit: "microseconds",
      series: [
        series("p50", ({ p50 }) => p50 ?? null),
        series("p99", ({ p99 }) => p99 ?? null),
      ],
    },
  ];
}
