/** A way to what is exposed, in a tab of its own; nothing where there is none. */
export function OpenLink({ to, of }: { to: string | null | undefined; of: string }) {
  if (!to) return null;
  return (
    <a className="open-link" href={to} target="_blank" rel="noreferrer" aria-label={`Open ${of}`} title={to}>
      open
    </a>
  );
}
