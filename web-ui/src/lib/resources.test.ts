import { describe, expect, it } from "vitest";
import { MOST, refusedFile } from "./resources";

describe("a file for a resource", () => {
  it("has at most so many bytes", () => {
    expect(refusedFile({ size: 0 })).toBeNull();
    expect(refusedFile({ size: MOST })).toBeNull();
    expect(refusedFile({ size: MOST + 1 })).toBe("The file is larger than the limit of 128.0 MiB");
  });
});
