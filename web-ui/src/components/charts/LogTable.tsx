import './charts.css';
import './log/log.css';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';

import { copyText } from './log/copy';
import { LogRow } from './log/LogRow';
import { guessedHeight, NARROW, recordText } from './log/records';
import { rowAt, sliceOf, topsOf } from './log/window';
import { present, zoneText } from './time';
import type { LogRecord } from './types';
import { useSize } from './useSize';

export interface LogTableProps {
  /** Oldest first. Keep the objects when appending: their heights are remembered by identity. */
  records: LogRecord[];
  highlight?: string | undefined;
  /** Begin at the end and stay there until scrolled up. */
  follow?: boolean | undefined;
  onFollowChange?: ((follows: boolean) => void) | undefined;
  onEntity?: ((entity: string) => void) | undefined;
  /** Class for the scrolled part, where another height is wanted. */
  className?: string | undefined;
  empty?: ReactNode;
  label?: string | undefined;
}

const SPARE = 8;
const END = 12;

/** Lines of the log; only those in the window are drawn. Follows the end unless scrolled up. */
export function LogTable(props: LogTableProps) {
  const { records, highlight = '', follow = true, onFollowChange, onEntity, className, empty, label } = props;
  const [measure, size] = useSize<HTMLDivElement>({ width: 900, height: 480 });
  const scroller = useRef<HTMLDivElement>(null);
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      scroller.current = element;
      return measure(element) ?? undefined;
    },
    [measure],
  );
  const [scrollTop, setScrollTop] = useState(0);
  const [follows, setFollows] = useState(follow);
  const [measured, setMeasured] = useState(0);
  const [copied, setCopied] = useState('');
  const heights = useRef(new WeakMap<LogRecord, number>());
  const heightsFor = useRef(size.width);
  /** What stands at the upper edge, so that it stays there whatever comes, goes or grows above. */
  const anchor = useRef<{ record: LogRecord; offset: number } | null>(null);
  /** The newest line when following ended. */
  const seen = useRef<LogRecord | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);

  if (heightsFor.current !== size.width) {
    heightsFor.current = size.width;
    heights.current = new WeakMap();
  }

  const tops = useMemo(
    () =>
      topsOf(records.length, (index) => {
        const record = records[index];
        return record ? (heights.current.get(record) ?? guessedHeight(record, size.width)) : 0;
      }),
    // A new measurement is a change of what the heights hold.
    [records, size.width, measured],
  );
  const total = tops[records.length] ?? 0;
  const slice = sliceOf(tops, follows ? total : scrollTop, size.height, SPARE);

  useLayoutEffect(() => {
    let changed = false;
    for (const row of list.current?.querySelectorAll<HTMLElement>('[data-index]') ?? []) {
      const record = records[Number(row.dataset['index'])];
      const { height } = row.getBoundingClientRect();
      if (!record || height === 0) continue;
      if (Math.abs((heights.current.get(record) ?? 0) - height) > 0.5) {
        heights.current.set(record, height);
        changed = true;
      }
    }
    if (changed) setMeasured((count) => count + 1);
  }, [records, slice.first, slice.end, size.width, highlight]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (follows) {
      element.scrollTop = element.scrollHeight;
      return;
    }
    const kept = anchor.current;
    const index = kept ? records.indexOf(kept.record) : -1;
    if (!kept || index === -1) return;
    const wanted = (tops[index] ?? 0) + kept.offset;
    if (Math.abs(element.scrollTop - wanted) > 1) element.scrollTop = wanted;
  }, [tops, follows, records, size.height]);

  const setFollowing = useCallback(
    (to: boolean) => {
      setFollows((was) => {
        if (was && !to) seen.current = records.at(-1);
        return to;
      });
      if (to !== follows) onFollowChange?.(to);
    },
    [follows, onFollowChange, records],
  );

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const top = element.scrollTop;
    const index = rowAt(tops, top);
    const record = records[index];
    anchor.current = record ? { record, offset: top - (tops[index] ?? 0) } : null;
    setScrollTop(top);
    setFollowing(element.scrollHeight - top - element.clientHeight <= END);
  };

  useEffect(() => {
    if (copied === '') return;
    const timer = setTimeout(() => setCopied(''), 4000);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    const done = await copyText(records.map(recordText).join('\n') + '\n');
    setCopied(done ? `Copied ${linesText(records.length)}.` : 'The browser did not allow copying.');
  };

  if (records.length === 0) return empty ? <div className="chart">{empty}</div> : <p className="chart chart-empty">No lines.</p>;

  const fresh = follows || !seen.current ? 0 : records.length - 1 - records.lastIndexOf(seen.current);

  return (
    <section className="chart log-table" aria-label={label ?? 'Log'}>
      <div className="chart-bar">
        <p className="chart-summary">
          {linesText(records.length)}, times in {zoneText(present())}
        </p>
        <div className="log-actions">
          <span className="chart-summary" role="status">
            {copied}
          </span>
          <button
            type="button"
            className="chart-button"
            aria-pressed={follows}
            onClick={() => setFollowing(!follows)}
          >
            {follows ? 'Following' : fresh > 0 ? `Follow (${fresh} new)` : 'Follow'}
          </button>
          <button type="button" className="chart-button" onClick={() => void copy()}>
            Copy
          </button>
        </div>
      </div>
      <div
        className={`log-scroll${size.width < NARROW ? ' is-narrow' : ''} ${className ?? ''}`}
        ref={attach}
        tabIndex={0}
        role="region"
        aria-label="Lines of the log, newest last"
        onScroll={onScroll}
      >
        <div role="table" aria-label="Log" aria-rowcount={records.length} ref={list} className="log-rows">
          <div role="presentation" style={{ height: slice.before }} />
          {records.slice(slice.first, slice.end).map((record, at) => (
            <LogRow
              key={slice.first + at}
              record={record}
              index={slice.first + at}
              highlight={highlight}
              onEntity={onEntity}
            />
          ))}
          <div role="presentation" style={{ height: slice.after }} />
        </div>
      </div>
    </section>
  );
}

function linesText(count: number): string {
  return `${count.toLocaleString('en').replaceAll(',', '\u202f')} ${count === 1 ? 'line' : 'lines'}`;
}
