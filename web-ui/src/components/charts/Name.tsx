import './charts.css';

export interface NameProps {
  text: string;
  /** What the last part begins with; without one in the text the end is cut. */
  before?: '/' | ':' | '-' | undefined;
}

/**
 * A name in one line. Where it has no room it is cut before its last part, which tells it from its
 * neighbours: `queue-wor…/12`. All of it is there to point at, to be read aloud and to be copied.
 */
export function Name({ text, before = '/' }: NameProps) {
  const cut = text.lastIndexOf(before);
  const [start, end] = cut > 0 ? [text.slice(0, cut), text.slice(cut)] : [text, ''];
  return (
    <span className="name" title={text}>
      {end === '' ? (
        <span className="name-start">{start}</span>
      ) : (
        <>
          {/* Two parts side by side are read as two words: aloud it is one. */}
          <span className="name-start" aria-hidden="true">
            {start}
          </span>
          <span className="name-end" aria-hidden="true">
            {end}
          </span>
          <span className="chart-unseen name-whole">{text}</span>
        </>
      )}
    </span>
  );
}
