import { describe, expect, it } from "vitest";
import { faviconWith, PLAIN_FAVICON } from "./favicon";

const drawn = (count: number): string => decodeURIComponent(faviconWith(count));

describe("the picture in the browser's tab", () => {
  it("has the number of units in error, where there are any", () => {
    expect(faviconWith(0)).toBe(PLAIN_FAVICON);
    expect(drawn(7)).toContain(">7</text>");
    expect(drawn(99)).toContain(">99</text>");
    expect(drawn(100)).toContain(">99+</text>");
  });

  it("holds the whole picture, so that the page's policy lets it in", () => {
    expect(faviconWith(3)).toMatch(/^data:image\/svg\+xml,[\w.~!'()*%-]+$/);
  });
});
