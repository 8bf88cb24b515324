/** What holds of an application beside its options, in words. */
import type { ApplicationInfo } from "../api/types";

/** Its units, with how many there are at the least. */
export function unitsOf(application: ApplicationInfo): string {
  const least = application["min-units"] ?? 0;
  const count = String(application.units.length);
  return least > 0 ? `${count}, at least ${least}` : count;
}

/** What is wrong with a minimum as it was typed; null for a sound one. */
export function wrongMinimum(text: string): string | null {
  return /^\d+$/.test(text) && Number(text) <= 10_000 ? null : "A number from 0 to 10000";
}

/** The constraints in a text, word by word. */
export function constraintWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
