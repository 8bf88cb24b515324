/** The figures of the last hour as the charts take them. */
import type { Figures } from "../api/types";
import type { Steps } from "../components/charts/scale";
import { micros } from "../components/charts/time";
import { bytes } from "./bytes";

export interface Drawn {
  title: string;
  unit: string;
  series: { name: string; points: { time: number; value: number | null }[] }[];
}

/** Charts in their order: title, and the series that belong into it. */
const CHARTS: [title: string, series: [key: string, name: string][]][] = [
  ["Rates", [["requests-per-second", "requests"], ["calls-per-second", "calls"], ["commits-per-second", "commits"], ["hooks-per-second", "hooks"]]],
  ["p99 latency", [["request-p99-seconds", "request"], ["call-p99-seconds", "call"], ["commit-p99-seconds", "commit"], ["change-lag-p99-seconds", "change lag"]]],
  ["p99 hook duration", [["hook-p99-seconds", "hook"]]],
  ["Failed requests", [["failed-requests-per-second", "failed"]]],
  ["Writes waiting", [["writer-queue", "queue"]]],
  ["Connections and watchers", [["connections", "connections"], ["watchers", "watchers"]]],
  ["Memory", [["resident-bytes", "resident"]]],
  ["Processor", [["cpu-cores", "cores"]]],
];

export function drawn(figures: Figures): Drawn[] {
  const known = new Set(CHARTS.flatMap(([, series]) => series.map(([key]) => key)));
  const others = Object.keys(figures.series)
    .filter((key) => !known.has(key))
    .map((key): (typeof CHARTS)[number] => [key.replaceAll("-", " "), [[key, key]]]);
  return [...CHARTS, ...others].flatMap(([title, series]) => {
    const present = series.filter(([key]) => figures.series[key]);
    const first = present[0];
    if (!first) return [];
    return {
      title,
      unit: figures.units[first[0]] ?? "count",
      series: present.map(([key, name]) => ({
        name,
        points: figures.times.map((time, place) => ({
          time: micros(time),
          value: figures.series[key]?.[place] ?? null,
        })),
      })),
    };
  });
}

/** What the axis of a chart counts in. */
export function stepsFor(unit: string): Steps {
  return unit === "bytes" ? "binary" : unit === "count" ? "whole" : "decimal";
}

export function formatFor(unit: string): (value: number) => string {
  const short = (value: number): string =>
    value === 0 ? "0" : value >= 100 ? value.toFixed(0) : Number(value.toPrecision(2)).toString();
  switch (unit) {
    case "bytes":
      return bytes;
    case "seconds":
      return (value) =>
        value === 0 ? "0 ms" : value < 1 ? `${short(value * 1000)} ms` : `${short(value)} s`;
    case "per-second":
      return (value) => `${short(value)}/s`;
    case "cores":
      return (value) => `${short(value)} cores`;
    default:
      return short;
  }
}
