import { describe, expect, it } from "vitest";
import type { Top, UnitUsage } from "../api/types";
import { measureOf, nearness, periodOf, share, shareText, uses } from "./sandbox";

const usage = (memory: number) => ({
  "memory-bytes": memory,
  "host-calls": 1500,
  "output-bytes": 0,
  "state-directory-bytes": 1024,
});
const unit: UnitUsage = {
  unit: "site/0", application: "site", hooks: 3, failed: 1, total: 1_500_000, longest: 30_000_000, most: usage(16 << 20),
};
const top: Top = {
  limits: { ...usage(64 << 20), "host-calls": 100_000, "state-directory-bytes": 0 },
  "longest-limit": 60_000_000,
  units: [unit],
};

describe("what a unit uses", () => {
  it("is said with its limits", () => {
    expect(uses(unit, top)).toEqual([
      { label: "Longest hook", used: "30.0 s", limit: "1 min", share: 50 },
      { label: "Memory", used: "16.0 MiB", limit: "64.0 MiB", share: 25 },
      { label: "Calls", used: "1,500", limit: "100,000", share: 2 },
      { label: "State", used: "1.0 KiB", limit: "0 B", share: null },
      { label: "Output", used: "0 B", limit: "0 B", share: null },
    ]);
  });

  it("is near a limit, or at it", () => {
    expect([0, 69, 70, 89, 90, 130].map(nearness)).toEqual(["far", "far", "near", "near", "at", "at"]);
    expect([share(1, 3), share(5, 0)]).toEqual([33, null]);
    expect([share(0, 9), share(1, 999), share(1, 3)].map((each) => shareText(each ?? 0))).toEqual(["0 %", "<1 %", "33 %"]);
  });
});

it("what stands in the address and is no choice is the first of them", () => {
  expect([measureOf("host-calls").option, measureOf("colour").by]).toEqual(["calls", "time"]);
  expect([periodOf("hour").seconds, periodOf("day").seconds]).toEqual([3600, undefined]);
});
