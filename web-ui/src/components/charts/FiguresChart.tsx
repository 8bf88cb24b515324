import './charts.css';
import './figures/figures.css';
import { useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react';

import { figuresOf, linePath, lonePoints, nearestMoment, plainFigure, valueAt } from './figures/lines';
import { axisTextWidth, besideZone, type Steps, withinAxis } from './scale';
import { zonedClock, zoneText } from './time';
import type { Series } from './types';
import { useSize } from './useSize';

export interface FiguresChartProps {
  title: string;
  /** At most four are told apart. */
  series: Series[];
  format?: ((value: number) => string) | undefined;
  /** What the rows of the axis count in. */
  steps?: Steps | undefined;
  /** Ends of the time axis; those of the figures when left out. */
  from?: number | undefined;
  to?: number | undefined;
  /** The axis begins here or lower. */
  floor?: number | undefined;
  height?: number | undefined;
}

/** Figures over time, with axes; hover or the arrow keys read one moment out. */
export function FiguresChart(props: FiguresChartProps) {
  const { title, series, format = plainFigure, steps, from, to, floor = 0, height = 180 } = props;
  const [element, { width }] = useSize<HTMLDivElement>({ width: 640, height });
  const [at, setAt] = useState<number | null>(null);

  const [figures, frame] = useMemo(() => {
    const axis = { floor, steps, from, to };
    const box = { width, height, left: 56, right: 12, top: 10, bottom: 28 };
    // What stands at the rows follows from the figures alone; the plot takes what they leave.
    const { rows } = figuresOf(series, box, axis);
    const widest = Math.max(0, ...rows.map((row) => axisTextWidth(format(row))));
    const frame = { ...box, left: Math.max(40, widest + 8) };
    return [figuresOf(series, frame, axis), frame];
  }, [series, width, height, floor, steps, from, to, format]);
  const { across, upwards, rows, columns, moments } = figures;

  if (moments.length === 0) {
    return (
      <figure className="chart figures">
        <figcaption className="figures-title">{title}</figcaption>
        <p className="chart-empty">No metrics yet.</p>
      </figure>
    );
  }

  const last = moments.length - 1;
  // A moment that went out of the hour leaves the read-out at the newest.
  const index = at === null ? last : Math.max(0, nearestMoment(moments, at));
  const time = moments[index] ?? 0;
  const zone = zoneText(time);
  const readings = series.map((each) => ({ name: each.name, value: valueAt(each.points, time) }));
  const spoken = readings
    .map(({ name, value }) => `${series.length > 1 ? `${name} ` : ''}${value === null ? 'none' : format(value)}`)
    .join(', ');

  const move = (to: number) => setAt(moments[Math.min(last, Math.max(0, to))] ?? null);

  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      PageDown: index - 30,
      PageUp: index + 30,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    move(target);
  };

  const onPointer = (event: PointerEvent<SVGSVGElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const [first, end] = [moments[0] ?? 0, moments[last] ?? 0];
    const [x0, x1] = [across(first), across(end)];
    move(nearestMoment(moments, x1 === x0 ? end : first + ((x - x0) / (x1 - x0)) * (end - first)));
  };

  return (
    <figure className="chart figures">
      <div className="figures-head">
        <figcaption className="figures-title">{title}</figcaption>
        <p className="figures-reading">
          {readings.map(({ name, value }, number) => (
            <span key={name} className={`figures-value figures-series-${number % 4}`}>
              {series.length > 1 ? (
                <>
                  <svg width={22} height={10} aria-hidden="true">
                    <line className="figures-line" x1={0} x2={22} y1={5} y2={5} />
                  </svg>
                  {name}{' '}
                </>
              ) : null}
              <strong>{value === null ? '—' : format(value)}</strong>
            </span>
          ))}
          <span className="chart-muted">{at === null ? 'now' : zonedClock(time)}</span>
        </p>
      </div>
      <div className="figures-frame" ref={element}>
        <svg
          className="figures-plot"
          width={width}
          height={height}
          role="slider"
          tabIndex={0}
          aria-label={`${title} over time`}
          aria-orientation="horizontal"
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={index}
          aria-valuetext={`${zonedClock(time)}: ${spoken}`}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(null)}
          onPointerMove={onPointer}
          onPointerDown={onPointer}
          onPointerLeave={(event) => {
            if (document.activeElement !== event.currentTarget) setAt(null);
          }}
        >
          {rows.map((row) => (
            <g key={row}>
              <line className="chart-grid-line" x1={frame.left} x2={width - frame.right} y1={upwards(row)} y2={upwards(row)} />
              <text className="chart-axis-text" x={frame.left - 6} y={upwards(row) + 4} textAnchor="end">
                {format(row)}
              </text>
            </g>
          ))}
          <text className="chart-axis-text" x={0} y={height - 8}>
            {zone}
          </text>
          {besideZone(columns.map((column) => ({ ...column, x: across(column.time) })), zone, width).map((column) => (
            <text
              key={column.time}
              className="chart-axis-text"
              x={withinAxis(column.x, column.text, width)}
              y={height - 8}
              textAnchor="middle"
            >
              {column.text}
            </text>
          ))}
          {series.map((each, number) => (
            <g key={each.name} className={`figures-series-${number % 4}`}>
              <path className="figures-line" d={linePath(each.points, across, upwards)} />
              {lonePoints(each.points).map(({ time, value }) => (
                <circle key={time} className="figures-dot" cx={across(time)} cy={upwards(value)} r={2} />
              ))}
            </g>
          ))}
          {at === null ? null : (
            <line className="figures-cursor" x1={across(time)} x2={across(time)} y1={frame.top} y2={height - frame.bottom} />
          )}
          {readings.map(({ name, value }, number) =>
            value === null ? null : (
              <circle
                key={name}
                className={`figures-dot figures-series-${number % 4}`}
                cx={across(time)}
                cy={upwards(value)}
                r={at === null ? 2.5 : 4}
              />
            ),
          )}
        </svg>
      </div>
    </figure>
  );
}
