import { describe, expect, it } from "vitest";
import { brushed, buckets, fieldOf, micros, moment, rangeOf, rangeSearch, timeOf, withRange } from "./range";

const NOON = Date.parse("2026-11-27T12:00:00Z") * 1000;

describe("a range of time in the address", () => {
  it("is read, written and put behind another address", () => {
    const parameters = new URLSearchParams("level=DEBUG&from=2026-11-27T12:00:00Z");
    expect(rangeOf(parameters)).toEqual({ from: NOON, to: null });
    const changed = withRange(parameters, { from: NOON, to: NOON + 60_000_000 });
    expect(changed.get("level")).toBe("DEBUG");
    expect(rangeOf(changed)).toEqual({ from: NOON, to: NOON + 60_000_000 });
    expect(rangeSearch(changed)).toBe("?from=2026-11-27T12%3A00%3A00.000Z&to=2026-11-27T12%3A01%3A00.000Z");
    expect(rangeSearch(new URLSearchParams("level=DEBUG"))).toBe("");
  });

  it("is turned round where it ends before it begins, and odd text is none", () => {
    const parameters = new URLSearchParams({ from: moment(NOON + 1_000_000), to: moment(NOON) });
    expect(rangeOf(parameters)).toEqual({ from: NOON, to: NOON + 1_000_000 });
    expect(rangeOf(new URLSearchParams("from=yesterday&to="))).toEqual({ from: null, to: null });
    expect(micros(undefined)).toBeNull();
  });

  it("is what a field for date and time says", () => {
    expect(timeOf(fieldOf(NOON))).toBe(NOON);
    expect(fieldOf(null)).toBe("");
    expect(timeOf("")).toBeNull();
  });
});

describe("a brush", () => {
  it("counts what falls into each part", () => {
    expect(buckets([0, 1, 5, 9, 10, 11, -1], 0, 10, 2)).toEqual([2, 3]);
    expect(buckets([1], 5, 5, 3)).toEqual([0, 0, 0]);
  });

  it("is a range, whichever way it was drawn, and stays within what is shown", () => {
    const shown = { from: 100, to: 200 };
    expect(brushed(75, 25, 100, shown)).toEqual({ from: 125, to: 175 });
    expect(brushed(-50, 500, 100, shown)).toEqual(shown);
  });
});
