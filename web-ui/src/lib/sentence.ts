/** A text of the controller as a whole sentence: a capital first, one stop at the end. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const words = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
