/** A text as a QR code: squares and the path that draws them. Pure. */
import qrcode from "qrcode-generator";

export interface QrDrawing {
  /** Squares along a side, with the blank edge that readers need. */
  side: number;
  /** Of the dark squares, for an SVG of `side` by `side`. */
  path: string;
}

/** Squares of the blank edge, as the standard asks. */
export const QUIET = 4;

export function qrDrawing(text: string): QrDrawing {
  // As large as the text needs; up to 15% of it may be covered or glaring.
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const runs: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!code.isDark(row, column)) continue;
      const start = column;
      while (column + 1 < count && code.isDark(row, column + 1)) column += 1;
      const length = column + 1 - start;
      runs.push(`M${start + QUIET} ${row + QUIET}h${length}v1h-${length}z`);
    }
  }
  return { side: count + 2 * QUIET, path: runs.join("") };
}
