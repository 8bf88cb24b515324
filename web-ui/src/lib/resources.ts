/** What a file must be to be attached, as the controller sees it. */
import { bytes } from "./bytes";

/** The most that a resource may have. */
export const MOST = 128 * 1024 * 1024;

/** Why the file is not sent; null for one that is. */
export function refusedFile(file: { size: number }): string | null {
  if (file.size > MOST) return `The file is larger than the limit of ${bytes(MOST)}`;
  return null;
}
