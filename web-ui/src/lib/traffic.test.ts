import { describe, expect, it } from "vitest";
import type { TrafficMinute } from "../api/types";
import { timeText } from "../components/charts/time";
import { drawnTraffic, duration } from "./traffic";

const minute = (time: number, requests: number, more: Partial<TrafficMinute> = {}): TrafficMinute => ({
  time: timeText(time),
  requests,
  "client-errors": 0,
  "server-errors": 0,
  mean: null,
  p50: null,
  p99: null,
  ...more,
});

const values = (minutes: TrafficMinute[]) =>
  drawnTraffic({ minutes }).map(({ series }) => series.map(({ points }) => points.map(({ value }) => value)));

describe("requests by the minute", () => {
  it("draws nothing where nobody asked anything", () => {
    expect(drawnTraffic({ minutes: [minute(0, 0), minute(60, 0)] })).toEqual([]);
  });

  it("leaves out the minute that is not over, unless there is no other", () => {
    expect(values([minute(0, 4), minute(60, 0), minute(120, 1)])[0]).toEqual([[4, 0]]);
    expect(values([minute(0, 0), minute(60, 2)])[0]).toEqual([[0, 2]]);
  });

  it("has errors of both kinds and gaps where nothing was measured", () => {
    const minutes = [
      minute(0, 9, { "client-errors": 2, "server-errors": 1, p50: 3_000, p99: 90_000 }),
      minute(60, 0),
      minute(120, 0),
    ];
    expect(values(minutes).slice(1)).toEqual([
      [[2, 0], [1, 0]],
      [[3_000, null], [90_000, null]],
    ]);
    expect(duration(3_000)).toBe("3 ms");
    expect(duration(2_000_000)).toBe("2 s");
  });
});
