/** Keys of annotations, as the controller takes them. */

/** What is wrong with a key; null for a sound one. */
export function wrongKey(key: string): string | null {
  if (key === "") return "Write a key";
  if (/[\s=\p{Cc}]/u.test(key)) return "A key must not contain blanks, = or control characters";
  return null;
}
