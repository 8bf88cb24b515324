import { nearness, shareText, type Use } from "../../lib/sandbox";

/** How much of a limit is used: the numbers, and a bar that says the same. */
export function UsageBar({ use: { used, limit, share } }: { use: Use }) {
  if (share === null) return <span className="nowrap">{used}</span>;
  return (
    <div className={`usage usage--${nearness(share)}`}>
      <span className="usage__used">{used}</span>
      <svg className="usage__bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="usage__limit" width="100" height="4" />
        <rect className="usage__share" width={Math.min(share, 100)} height="4" />
      </svg>
      <span className="usage__of">
        {shareText(share)} of {limit}
      </span>
    </div>
  );
}
