import './charts.css';
import './timeline/timeline.css';
import { useMemo, useState } from 'react';

import { besideZone, withinAxis } from './scale';
import { lookOf } from './status';
import { StatusMark, StatusShape } from './StatusMark';
import { kindName, lanesOf, rowsOf, type Lane } from './timeline/segments';
import { machineTime, present, relativeTime, roughDuration, timeTicks, zonedTime, zoneText } from './time';
import type { HistoryEntry } from './types';
import { useSize } from './useSize';

export interface StatusTimelineProps {
  /** In any order. */
  entries: HistoryEntry[];
  now?: number | undefined;
  /** Rows of the list before "Show all". */
  limit?: number | undefined;
  label?: string | undefined;
}

const LANE = 30;
const SHAPE_FROM = 22;

/** The history of statuses: a line in segments, and the same as a list to read. */
export function StatusTimeline({ entries, now, limit = 50, label }: StatusTimelineProps) {
  const [all, setAll] = useState(false);
  const [pointed, setPointed] = useState<HistoryEntry | null>(null);
  const until = now ?? present();
  const lanes = useMemo(() => lanesOf(entries, until), [entries, until]);
  const rows = useMemo(() => rowsOf(entries), [entries]);

  if (entries.length === 0) return <p className="chart-empty">No status has been recorded yet.</p>;

  const several = lanes.length > 1;
  const shown = all ? rows : rows.slice(0, limit);

  return (
    <section className="chart status-timeline" aria-label={label ?? 'Status history'}>
      <Line lanes={lanes} until={until} onPoint={setPointed} />
      <ul className="status-timeline-key" aria-label="Statuses in the line">
        {[...new Set(rows.map(({ entry }) => entry.status))].map((status) => (
          <li key={status}>
            <StatusMark status={status} />
          </li>
        ))}
      </ul>
      <ol className="status-timeline-list" aria-label="Statuses, newest first">
        {shown.map(({ entry, held }, index) => (
          <li key={`${entry.time} ${entry.kind} ${index}`} className={entry === pointed ? 'is-pointed' : undefined}>
            <span className="status-timeline-time">
              <time dateTime={machineTime(entry.time)}>{zonedTime(entry.time)}</time>{' '}
              <span className="chart-muted">{relativeTime(entry.time, until)}</span>
            </span>
            <span className="status-timeline-what">
              {several ? <span className="chart-muted">{kindName(entry.kind)} </span> : null}
              <StatusMark status={entry.status} />
              {entry.message ? <span className="status-timeline-message">: {entry.message}</span> : null}
            </span>
            <span className="chart-muted status-timeline-held">
              {held === null ? 'current' : `for ${roughDuration(held)}`}
            </span>
          </li>
        ))}
      </ol>
      {rows.length > shown.length ? (
        <button type="button" className="chart-button" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      ) : null}
    </section>
  );
}

function Line(props: { lanes: Lane[]; until: number; onPoint: (entry: HistoryEntry | null) => void }) {
  const { lanes, until, onPoint } = props;
  const [frame, { width }] = useSize<HTMLDivElement>({ width: 640, height: LANE });
  // What a line is stands before it, or where that takes too much room, above.
  const [left, above] = lanes.length === 1 ? [0, 0] : width >= 480 ? [104, 0] : [0, 16];
  const room = Math.max(1, width - left);
  const from = Math.min(...lanes.flatMap((lane) => lane.segments.map((segment) => segment.from)));
  const height = lanes.length * (LANE + above) + 22;
  const zone = zoneText(until);
  const ticks = timeTicks(from, until, Math.max(2, Math.floor(room / 90))).map((tick) => ({
    ...tick,
    x: left + withinAxis(((tick.time - from) / Math.max(1, until - from)) * room, tick.text, room),
  }));
  const words = lanes
    .map((lane) => {
      const current = lane.segments.at(-1);
      return `${kindName(lane.kind)} ${current?.entry.status ?? ''} since ${zonedTime(current?.from ?? until)}`;
    })
    .join('; ');
  return (
    <div className="status-timeline-frame" ref={frame}>
      <svg
        className="status-timeline-line"
        width={width}
        height={height}
        role="img"
        aria-label={`${words}. The list below has all entries.`}
        onMouseLeave={() => onPoint(null)}
      >
        {lanes.map((lane, row) => (
          <g key={lane.kind} transform={`translate(0 ${row * (LANE + above) + above})`}>
            {left + above > 0 ? (
              <text className="chart-axis-text" x={0} y={above > 0 ? -2 : LANE / 2 + 4}>
                {kindName(lane.kind)}
              </text>
            ) : null}
            {lane.segments.map((segment, index) => {
              const x = left + segment.start * room;
              const wide = Math.max(2, segment.share * room - 1);
              return (
                <g
                  key={index}
                  className={`chart-tone-${lookOf(segment.entry.status).tone}`}
                  onMouseEnter={() => onPoint(segment.entry)}
                >
                  <title>
                    {`${segment.entry.status}${segment.entry.message ? `: ${segment.entry.message}` : ''}, ${zonedTime(segment.from)}, ${segment.current ? 'current' : `for ${roughDuration(segment.to - segment.from)}`}`}
                  </title>
                  <rect className="status-timeline-segment" x={x} y={3} width={wide} height={LANE - 6} />
                  {wide >= SHAPE_FROM ? (
                    <svg x={x + 5} y={LANE / 2 - 6} width={12} height={12} className="status-timeline-shape">
                      <StatusShape status={segment.entry.status} size={12} />
                    </svg>
                  ) : null}
                </g>
              );
            })}
          </g>
        ))}
        <text className="chart-axis-text" x={0} y={height - 4}>
          {zone}
        </text>
        {besideZone(ticks, zone, width).map(({ time, x, text }) => (
          <text key={time} className="chart-axis-text" x={x} y={height - 4} textAnchor="middle">
            {text}
          </text>
        ))}
      </svg>
    </div>
  );
}
