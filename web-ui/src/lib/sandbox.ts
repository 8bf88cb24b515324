/** What hooks use of what they may: measures, periods, and shares of a limit. */
import { durationText } from "../components/charts/time";
import type { Top, TopBy, UnitUsage } from "../api/types";
import { bytes } from "./bytes";
import { counted } from "./counted";

/** What is ordered by, under which name, and what the command line calls it. */
export const MEASURES: { by: TopBy; label: string; option: string }[] = [
  { by: "time", label: "Time", option: "time" },
  { by: "memory", label: "Memory", option: "memory" },
  { by: "host-calls", label: "Calls", option: "calls" },
  { by: "state-directory", label: "State", option: "state" },
  { by: "output", label: "Output", option: "output" },
];

/** Of the address; whatever else stands there is time. */
export function measureOf(text: string): (typeof MEASURES)[number] {
  return MEASURES.find(({ by }) => by === text) ?? (MEASURES[0] as (typeof MEASURES)[number]);
}

/** How far back hooks count, in seconds; all that are recorded without any. */
export const PERIODS: { period: string; label: string; seconds: number | undefined; within: string }[] = [
  { period: "", label: "All recorded", seconds: undefined, within: "" },
  { period: "hour", label: "Last hour", seconds: 3600, within: "in the last hour" },
  { period: "minute", label: "Last minute", seconds: 60, within: "in the last minute" },
];

export function periodOf(text: string): (typeof PERIODS)[number] {
  return PERIODS.find(({ period }) => period === text) ?? (PERIODS[0] as (typeof PERIODS)[number]);
}

/** One measure of a unit against its limit. */
export interface Use {
  label: string;
  used: string;
  limit: string;
  /** Percent of the limit; null where there is no limit. */
  share: number | null;
}

/** What one hook of the unit used at most. */
export function uses({ longest, most }: UnitUsage, { limits, "longest-limit": longestLimit }: Top): Use[] {
  const use = (label: string, used: number, limit: number, say: (value: number) => string): Use => ({
    label,
    used: say(used),
    limit: say(limit),
    share: share(used, limit),
  });
  return [
    use("Longest hook", longest, longestLimit, durationText),
    use("Memory", most["memory-bytes"], limits["memory-bytes"], bytes),
    use("Calls", most["host-calls"], limits["host-calls"], counted),
    use("State", most["state-directory-bytes"], limits["state-directory-bytes"], bytes),
    use("Output", most["output-bytes"], limits["output-bytes"], bytes),
  ];
}

/** In whole percent; what is less than one stays what it is, since it is not nothing. */
export function share(used: number, limit: number): number | null {
  if (limit <= 0) return null;
  const percent = (used * 100) / limit;
  return percent < 1 ? percent : Math.round(percent);
}

/** `<1 %` of what is used, however little. */
export function shareText(percent: number): string {
  return percent > 0 && percent < 1 ? "<1 %" : `${percent} %`;
}

/** How near a limit is: what is at it is about to fail. */
export function nearness(percent: number): "far" | "near" | "at" {
  if (percent >= 90) return "at";
  return percent >= 70 ? "near" : "far";
}
