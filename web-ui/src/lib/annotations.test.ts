import { describe, expect, it } from "vitest";
import { wrongKey } from "./annotations";

describe("the key of an annotation", () => {
  it("is one word without =", () => {
    for (const key of ["owner", "gui-x", "a.b/c"]) expect(wrongKey(key)).toBeNull();
    expect(wrongKey("")).toBe("Write a key");
    for (const key of ["a b", "a=b", "a\tb", "a\u0000"]) expect(wrongKey(key)).toMatch(/^A key must not contain/);
  });
});
