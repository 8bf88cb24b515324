/** A tree of values as it is read: names at the left, what stands below them indented. */
import { entriesOf, MOST_ENTRIES, shownValue } from "../lib/results";

/** Below this a value is shown as JSON. */
const DEEPEST = 8;

export function ValueTree({ value, depth = 0 }: { value: Record<string, unknown> | unknown[]; depth?: number }) {
  const entries = entriesOf(value) ?? [];
  const left = entries.length - MOST_ENTRIES;
  return (
    <>
      <dl className="tree">
        {entries.slice(0, MOST_ENTRIES).map(([name, each]) => (
          <div key={name} className={isTree(each, depth) ? "tree__branch" : undefined}>
            <dt>{name}</dt>
            <dd>{isTree(each, depth) ? <ValueTree value={each} depth={depth + 1} /> : <Value value={each} />}</dd>
          </div>
        ))}
      </dl>
      {left > 0 && <p className="muted">{left} more: copy them as JSON</p>}
    </>
  );
}

/** Whether it is shown as a tree of its own. */
function isTree(value: unknown, depth: number): value is Record<string, unknown> | unknown[] {
  return depth < DEEPEST && (entriesOf(value)?.length ?? 0) > 0;
}

function Value({ value }: { value: unknown }) {
  const text = shownValue(value);
  if (text.includes("\n")) return <Preformatted text={text} label="Value" />;
  return <span className={value === "" || value === null ? "muted" : undefined}>{text}</span>;
}

/** A text as it was written; what is long can be scrolled, by the keyboard too. */
export function Preformatted({ text, label }: { text: string; label: string }) {
  return (
    <pre className="printed" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
