import { describe, expect, it } from "vitest";
import { QUIET, qrDrawing } from "./qr";

/** The dark squares, back from the path. */
function squares(path: string): Set<string> {
  const dark = new Set<string>();
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let step = 0; step < Number(length); step += 1) dark.add(`${Number(x) + step} ${y}`);
  }
  return dark;
}

const FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];

describe("a QR code", () => {
  const { side, path } = qrDrawing("https://controller.example:17070/models/shop?q=front");
  const dark = squares(path);

  it("has the three marks by which readers find it", () => {
    const far = side - QUIET - 7;
    for (const [left, top] of [[QUIET, QUIET], [far, QUIET], [QUIET, far]] as const) {
      const drawn = FINDER.map((line, y) =>
        [...line].map((_, x) => (dark.has(`${left + x} ${top + y}`) ? "#" : ".")).join(""),
      );
      expect(drawn).toEqual(FINDER);
    }
  });

  it("keeps its edge blank", () => {
    for (const square of dark) {
      for (const at of square.split(" ").map(Number)) {
        expect(at).toBeGreaterThanOrEqual(QUIET);
        expect(at).toBeLessThan(side - QUIET);
      }
    }
  });

  it("differs for each text and grows with it", () => {
    expect(qrDrawing("https://controller.example:17070/models/shop?q=fronu").path).not.toBe(path);
    expect(qrDrawing(`https://controller.example/${"x".repeat(400)}`).side).toBeGreaterThan(side);
  });
});
