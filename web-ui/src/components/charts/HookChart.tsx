import './charts.css';
import './hooks/hooks.css';
import { useId, useMemo, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';

import { HookDetails } from './hooks/HookDetails';
import { hookName } from './hooks/names';
import { endsOf, isFailed, plotOf, spotAt, summaryOf, summaryText, type Order, type Spot } from './hooks/plot';
import { axisTextWidth, besideZone, withinAxis } from './scale';
import { durationText, present, zonedClock, zonedTime, zoneText } from './time';
import type { HookRun } from './types';
import { useSize } from './useSize';

export interface HookChartProps {
  /** In any order. */
  runs: HookRun[];
  /** Identifier of the run whose details are shown; kept here when left out. */
  selected?: number | null | undefined;
  onSelect?: ((id: number | null) => void) | undefined;
  now?: number | undefined;
  /** Buttons in the details: what one can do with a run. */
  actions?: ((run: HookRun) => ReactNode) | undefined;
  /** Name the unit, for hooks of a whole application. */
  showUnit?: boolean | undefined;
  label?: string | undefined;
}

const HEIGHT = 220;

/** Hooks over time, how long each took and how it ended; one can be chosen to be read. */
export function HookChart({ runs, selected, onSelect, now, actions, showUnit = false, label }: HookChartProps) {
  const [frame, { width }] = useSize<HTMLDivElement>({ width: 640, height: HEIGHT });
  const [order, setOrder] = useState<Order>('time');
  const [own, setOwn] = useState<number | null>(null);
  const [active, setActive] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const baseId = useId();

  const chosen = selected === undefined ? own : selected;
  const [plot, box] = useMemo(() => {
    const frame = { width, height: HEIGHT, left: 58, right: 8, top: 12, bottom: 30 };
    // What stands at the rows follows from the runs alone; the plot takes what they leave.
    const widest = Math.max(0, ...plotOf(runs, frame, order).rows.map(({ text }) => axisTextWidth(text)));
    const box = { ...frame, left: Math.max(frame.left, widest + 10) };
    return [plotOf(runs, box, order), box] as const;
  }, [runs, width, order]);
  const summary = useMemo(() => summaryText(summaryOf(runs)), [runs]);

  const choose = (id: number | null) => {
    setOwn(id);
    onSelect?.(id);
  };

  if (runs.length === 0) return <p className="chart-empty">No hook has run yet.</p>;

  const index = plot.spots.findIndex(({ run }) => run.id === (active ?? chosen));
  const pointed = plot.spots.find(({ run }) => run.id === (hovered ?? active));
  const zone = order === 'time' ? zoneText(plot.spots.at(-1)?.run['started-at'] ?? 0) : '';
  const ticks = besideZone(plot.columns, zone, width);
  const columns = ticks.length > 0 ? ticks : besideZone(endsOf(plot.spots), zone, width);
  // Failures stand above what they are among.
  const drawn = plot.spots.map((spot, place) => ({ ...spot, place })).sort((a, b) => Number(isFailed(a.run)) - Number(isFailed(b.run)));
  const chosenRun = plot.spots.find(({ run }) => run.id === chosen)?.run;

  const move = (to: number) => {
    const spot = plot.spots[Math.min(plot.spots.length - 1, Math.max(0, to))];
    if (spot) setActive(spot.run.id);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const last = plot.spots.length - 1;
    const from = index === -1 ? last : index;
    const targets: Record<string, number> = {
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      Home: 0,
      End: last,
      PageUp: from - 10,
      PageDown: from + 10,
    };
    const target = targets[event.key];
    if (target !== undefined) move(target);
    else if (event.key === 'Enter' || event.key === ' ') choose(active === chosen ? null : active);
    else if (event.key === 'Escape' && chosen !== null) choose(null);
    else return;
    event.preventDefault();
  };

  const under = (event: MouseEvent<SVGSVGElement>): Spot | undefined => {
    const bounds = event.currentTarget.getBoundingClientRect();
    return spotAt(plot.spots, event.clientX - bounds.left, event.clientY - bounds.top);
  };

  return (
    <section className="chart hook-chart" aria-label={label ?? 'Hooks'}>
      <div className="chart-bar">
        <p className="chart-summary">{summary}</p>
        <div className="chart-choice" role="group" aria-label="Along the axis">
          <button type="button" aria-pressed={order === 'time'} onClick={() => setOrder('time')}>
            By time
          </button>
          <button type="button" aria-pressed={order === 'sequence'} onClick={() => setOrder('sequence')}>
            In sequence
          </button>
        </div>
      </div>
      <div className="hook-chart-frame" ref={frame}>
        <svg
          className="hook-chart-plot"
          width={width}
          height={HEIGHT}
          role="listbox"
          tabIndex={0}
          aria-label={`Hooks by duration: ${summary}. Arrow keys move, Enter shows details.`}
          aria-activedescendant={pointed ? `${baseId}-${pointed.run.id}` : undefined}
          onKeyDown={onKeyDown}
          onFocus={() => {
            if (active === null) setActive(chosen ?? plot.spots.at(-1)?.run.id ?? null);
          }}
          onBlur={() => setActive(null)}
          onMouseMove={(event) => setHovered(under(event)?.run.id ?? null)}
          onMouseLeave={() => setHovered(null)}
          onClick={(event) => {
            const spot = under(event);
            if (spot) choose(spot.run.id === chosen ? null : spot.run.id);
          }}
        >
          <g aria-hidden="true">
            {plot.rows.map((row) => (
              <g key={row.text}>
                <line className="chart-grid-line" x1={box.left} x2={width - box.right} y1={row.y} y2={row.y} />
                <text className="chart-axis-text" x={box.left - 8} y={row.y + 4} textAnchor="end">
                  {row.text}
                </text>
              </g>
            ))}
            <text className="chart-axis-text" x={0} y={HEIGHT - 8}>
              {zone}
            </text>
            {columns.map((column) => (
              <text
                key={column.x}
                className="chart-axis-text"
                x={withinAxis(column.x, column.text, width)}
                y={HEIGHT - 8}
                textAnchor="middle"
              >
                {column.text}
              </text>
            ))}
            <line
              className="chart-axis-line"
              x1={box.left}
              x2={width - box.right}
              y1={HEIGHT - box.bottom}
              y2={HEIGHT - box.bottom}
            />
          </g>
          {drawn.map(({ run, x, y, place }) => (
            <g
              key={run.id}
              id={`${baseId}-${run.id}`}
              role="option"
              aria-posinset={place + 1}
              aria-setsize={drawn.length}
              aria-selected={run.id === chosen}
              aria-label={spokenRun(run, showUnit)}
              transform={`translate(${x} ${y})`}
              className={spotClass(run, run.id === chosen, run.id === pointed?.run.id)}
            >
              <line className="hook-chart-stem" x1={0} x2={0} y1={0} y2={HEIGHT - box.bottom - y} />
              {isFailed(run) ? (
                <>
                  <rect className="hook-chart-spot" x={-5.5} y={-5.5} width={11} height={11} />
                  <path className="hook-chart-cross" d="M-2.5-2.5 2.5 2.5M2.5-2.5-2.5 2.5" />
                </>
              ) : (
                <circle className="hook-chart-spot" r={4.5} />
              )}
            </g>
          ))}
        </svg>
      </div>
      <p className="hook-chart-readout chart-summary" aria-hidden="true">
        {pointed ? (
          `${showUnit ? `${pointed.run.unit} ` : ''}${hookName(pointed.run.hook)}, ${durationText(pointed.run.duration)}, ${zonedClock(pointed.run['started-at'])}${isFailed(pointed.run) ? `, failed: ${pointed.run.code}` : ''}`
        ) : (
          <>
            Choose a hook for its details. <span className="chart-tone-positive hook-chart-key">●</span> ok{' '}
            <span className="chart-tone-negative hook-chart-key">■</span> failed
          </>
        )}
      </p>
      <div aria-live="polite">
        {chosenRun ? (
          <HookDetails
            run={chosenRun}
            now={now ?? present()}
            showUnit={showUnit}
            actions={actions?.(chosenRun)}
            onClose={() => choose(null)}
          />
        ) : null}
      </div>
    </section>
  );
}

function spokenRun(run: HookRun, showUnit: boolean): string {
  const unit = showUnit ? `${run.unit} ` : '';
  const end = isFailed(run) ? `failed ${run.code}` : 'ok';
  return `${unit}${hookName(run.hook)}, ${end}, ${durationText(run.duration)}, ${zonedTime(run['started-at'])}`;
}

function spotClass(run: HookRun, chosen: boolean, pointed: boolean): string {
  const tone = isFailed(run) ? 'negative' : 'positive';
  return `hook-chart-run chart-tone-${tone}${chosen ? ' is-chosen' : ''}${pointed ? ' is-pointed' : ''}`;
}
