import { describe, expect, it } from "vitest";
import type { ApplicationInfo } from "../api/types";
import { constraintWords, unitsOf, wrongMinimum } from "./terms";

describe("what holds of an application", () => {
  it("is told of its units", () => {
    const application = { units: ["site/0", "site/1"] } as ApplicationInfo;
    expect(unitsOf(application)).toBe("2");
    expect(unitsOf({ ...application, "min-units": 2 })).toBe("2, at least 2");
  });

  it("has a minimum that is a number within its bound", () => {
    for (const text of ["0", "3", "10000"]) expect(wrongMinimum(text)).toBeNull();
    for (const text of ["", "-1", "1.5", "two", "10001"]) expect(wrongMinimum(text)).toMatch(/^A number/);
  });

  it("has constraints that are words", () => {
    expect(constraintWords("  mem=4G   cores=2 ")).toEqual(["mem=4G", "cores=2"]);
    expect(constraintWords(" ")).toEqual([]);
  });
});
