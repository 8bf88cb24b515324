import type { ReactNode } from 'react';

import { StatusShape } from '../StatusMark';
import { durationText, zonedTime, machineTime, relativeTime } from '../time';
import type { HookRun } from '../types';
import { hookName } from './names';
import { isFailed } from './plot';

interface Props {
  run: HookRun;
  now: number;
  showUnit: boolean;
  actions: ReactNode;
  onClose: () => void;
}

/** One run of one hook, in full. */
export function HookDetails({ run, now, showUnit, actions, onClose }: Props) {
  const failed = isFailed(run);
  const started = run['started-at'];
  return (
    <div className={`hook-details chart-details chart-tone-${failed ? 'negative' : 'positive'}`}>
      <div className="chart-bar">
        <strong className="hook-details-name">
          <StatusShape status={failed ? 'failed' : 'ok'} /> {hookName(run.hook)}
        </strong>
        <button type="button" className="chart-button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl className="chart-facts">
        <dt>Result</dt>
        <dd>
          {run.result}
          {run.code ? (
            <>
              {' '}
              <code>{run.code}</code>
            </>
          ) : null}
        </dd>
        {run.message ? (
          <>
            <dt>Message</dt>
            <dd className="hook-details-message">{run.message}</dd>
          </>
        ) : null}
        <dt>Took</dt>
        <dd>{durationText(run.duration)}</dd>
        <dt>Began</dt>
        <dd>
          <time dateTime={machineTime(started)}>{zonedTime(started)}</time>{' '}
          <span className="chart-muted">({relativeTime(started, now)})</span>
        </dd>
        {showUnit ? (
          <>
            <dt>Unit</dt>
            <dd>{run.unit}</dd>
          </>
        ) : null}
        <dt>Charm</dt>
        <dd>{run.charm}</dd>
        <dt>Effects</dt>
        <dd>
          {run.effects.length === 0 ? (
            <span className="chart-muted">{failed ? 'none: a failed hook changes nothing' : 'none'}</span>
          ) : (
            <>
              {failed ? <span className="chart-muted">These took effect at once; everything else was undone.</span> : null}
              <ul>
                {run.effects.map((effect, index) => (
                  <li key={index}>{effect}</li>
                ))}
              </ul>
            </>
          )}
        </dd>
      </dl>
      {actions ? <div className="hook-details-actions">{actions}</div> : null}
    </div>
  );
}
