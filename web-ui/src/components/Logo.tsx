/** The mark, drawn within the page: a picture of its own would be lost with the controller. */
export function Logo({ size }: { size: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="15" fill="#772953" />
      <ellipse cx="16" cy="16" rx="11" ry="6" fill="none" stroke="#fff" strokeWidth="2" transform="rotate(-30 16 16)" />
      <circle cx="12.5" cy="18" r="3" fill="#e95420" />
    </svg>
  );
}
