import type { ReactNode } from "react";

/** A text of the controller: what stands between backquotes is a command. */
export function Prose({ text }: { text: string }): ReactNode {
  return text.split("`").map((piece, place) => (place % 2 === 1 ? <code key={place}>{piece}</code> : piece));
}
