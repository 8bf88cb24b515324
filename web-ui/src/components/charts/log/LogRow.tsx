import { memo } from 'react';

import { machineTime, present, zonedTime } from '../time';
import type { LogRecord } from '../types';
import { Name } from '../Name';
import { entityName, moduleBeside } from './entity';
import { levelTone, lineTime, marked } from './records';

interface Props {
  record: LogRecord;
  index: number;
  highlight: string;
  onEntity: ((entity: string) => void) | undefined;
}

/** One line of the log. */
export const LogRow = memo(function LogRow({ record, index, highlight, onEntity }: Props) {
  return (
    <div
      className={`log-row chart-tone-${levelTone(record.level)}`}
      role="row"
      aria-rowindex={index + 1}
      data-index={index}
    >
      <span role="cell" className="log-time">
        <time dateTime={machineTime(record.time)} title={zonedTime(record.time)}>
          {lineTime(record.time, present())}
        </time>
      </span>
      <span role="cell" className="log-level">
        {record.level}
      </span>
      <span role="cell" className="log-entity">
        {onEntity ? (
          <button type="button" title={`Only ${entityName(record.entity)}`} onClick={() => onEntity(record.entity)}>
            <Name text={entityName(record.entity)} />
          </button>
        ) : (
          <Name text={entityName(record.entity)} />
        )}
      </span>
      <span role="cell" className="log-message">
        <span className="log-module">{moduleBeside(record.module, record.entity)}</span> <Marked text={record.message} needle={highlight} />
      </span>
    </div>
  );
});

function Marked({ text, needle }: { text: string; needle: string }) {
  return marked(text, needle).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
