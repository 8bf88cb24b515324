import { ApiError } from "../../api/client";
import { Failure } from "../../components/States";
import { excerpt, refusedLine } from "../../lib/bundles";

/** Why a bundle is refused, with the line that it is about. */
export function Refused({ error, text }: { error: unknown; text: string }) {
  const line = error instanceof ApiError ? refusedLine(error.problem.detail ?? "") : null;
  return (
    <>
      <Failure error={error} />
      {line !== null && (
        <ol className="bundle-excerpt" tabIndex={0} aria-label={`Line ${line} of the bundle`}>
          {excerpt(text, line).map(({ number, text: words, wrong }) => (
            <li key={number} value={number} className={wrong ? "is-wrong" : undefined} aria-current={wrong || undefined}>
              <code>{words || " "}</code>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
