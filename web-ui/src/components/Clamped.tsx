/** A message in at most two lines of a table; all of it to point at, and on its thing's own page. */
export function Clamped({ text }: { text: string }) {
  if (!text) return "—";
  return (
    <span className="clamped" title={text}>
      {text}
    </span>
  );
}
