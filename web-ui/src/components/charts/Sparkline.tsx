import './charts.css';
import './figures/figures.css';
import { linePath } from './figures/lines';
import { linear } from './scale';
import type { Tone } from './status';

export interface SparklineProps {
  values: (number | null)[];
  /** What it shows, for screen readers; the last and the highest value are added. */
  label: string;
  width?: number | undefined;
  height?: number | undefined;
  tone?: Tone | undefined;
}

/** A line the size of a word. */
export function Sparkline({ values, label, width = 120, height = 28, tone = 'information' }: SparklineProps) {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const last = known.at(-1);
  const x = linear(0, Math.max(1, values.length - 1), 1, width - 4);
  const y = linear(low, high > low ? high : low + 1, height - 3, 3);
  const points = values.map((value, index) => ({ time: index, value }));
  const said = last === undefined ? `${label}: no figures` : `${label}: now ${last}, highest ${high}`;
  const lastIndex = values.findLastIndex((value) => value !== null && Number.isFinite(value));
  return (
    <svg className={`chart sparkline chart-tone-${tone}`} width={width} height={height} role="img" aria-label={said}>
      <path className="figures-line" d={linePath(points, x, y)} />
      {last === undefined ? null : <circle className="figures-dot" cx={x(lastIndex)} cy={y(last)} r={2.5} />}
    </svg>
  );
}
