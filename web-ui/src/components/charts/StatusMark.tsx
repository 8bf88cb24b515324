import './charts.css';
import { lookOf, type Shape } from './status';

const PATHS: Record<Shape, string> = {
  disc: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13z',
  half: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13zM8 3.3v9.4a4.7 4.7 0 0 0 0-9.4z',
  triangle: 'M8 1.2 15.4 14.4H.6z',
  square: 'M2 2h12v12H2z',
  octagon: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  ring: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13zM8 3.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z',
};

/** What is cut into the shape, in the colour of the page. */
const CUTS: Partial<Record<Shape, string>> = {
  disc: 'M5 8.2 7.2 10.4 11.2 6',
  triangle: 'M8 6v4M8 11.8v.6',
  square: 'M5 8h6',
  octagon: 'M5.5 5.5l5 5M10.5 5.5l-5 5',
};

/** The shape alone, for inside an SVG or beside its word; says nothing to a screen reader. */
export function StatusShape({ status, size = 14 }: { status: string; size?: number }) {
  const { tone, shape } = lookOf(status);
  const cut = CUTS[shape];
  return (
    <svg className={`chart-shape chart-tone-${tone}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path className="chart-shape-body" d={PATHS[shape]} fillRule="evenodd" />
      {cut ? <path className="chart-shape-cut" d={cut} /> : null}
    </svg>
  );
}

interface MarkProps {
  status: string;
  label?: boolean | undefined;
  /** The word whose look it has, where its own means something else elsewhere. */
  like?: string | undefined;
}

/** A status: its shape in its colour, and its word, which is hidden from the eye without `label`. */
export function StatusMark({ status, label = true, like = status }: MarkProps) {
  const word = status === '' ? 'unset' : status;
  return (
    <span className={`chart-status chart-tone-${lookOf(like).tone}`} title={label ? undefined : word}>
      <StatusShape status={like} />
      <span className={label ? 'chart-status-word' : 'chart-unseen'}>{word}</span>
    </span>
  );
}
