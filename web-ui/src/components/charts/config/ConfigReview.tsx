import { useEffect, useRef, type ReactNode } from 'react';

import type { ApplicationConfig, ConfigChange } from '../types';
import { diffOf, type Difference, type DiffLine } from './diff';
import type { Field, Source } from './edit';

interface Props {
  config: ApplicationConfig;
  change: ConfigChange;
  busy: boolean;
  problem: string | null;
  /** Edited here and changed meanwhile by somebody else. */
  overtaken: Field[];
  onApply: () => void;
  onBack: () => void;
  children: ReactNode;
}

/** What will change, line by line, before it does. */
export function ConfigReview({ config, change, busy, problem, overtaken, onApply, onBack, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const differences = diffOf(config, change);
  return (
    <section className="chart config-review" aria-label={`Changes to ${config.application}`}>
      <h3 className="config-review-title" ref={heading} tabIndex={-1}>
        {differences.length} {differences.length === 1 ? 'change' : 'changes'} to {config.application}
      </h3>
      {overtaken.length > 0 ? (
        <p className="config-field-overtaken">
          Changed meanwhile by somebody else: {overtaken.map((field) => field.name).join(', ')}. Applying overwrites it.
        </p>
      ) : null}
      {differences.map((difference) => (
        <DifferenceView key={difference.name} difference={difference} />
      ))}
      {children}
      {problem ? (
        <p className="config-form-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="config-form-end">
        <button type="button" className="chart-button is-main" disabled={busy} onClick={onApply}>
          {busy ? 'Applying…' : 'Apply'}
        </button>
        <button type="button" className="chart-button" disabled={busy} onClick={onBack}>
          Back
        </button>
      </div>
    </section>
  );
}

const WORDS: Record<Source, string> = { set: 'set', default: 'default', unset: 'not set' };

function DifferenceView({ difference }: { difference: Difference }) {
  const { name, before, after, lines } = difference;
  return (
    <div className="config-review-option">
      <div className="config-field-head">
        <span className="config-field-name">{name}</span>
        <span className="chart-muted">{before === after ? WORDS[after] : `${WORDS[before]} → ${WORDS[after]}`}</span>
      </div>
      <div className="config-review-lines">
        {lines.map((line, index) => (
          <DiffLineView key={index} line={line} />
        ))}
      </div>
    </div>
  );
}

function DiffLineView({ line }: { line: DiffLine }) {
  const text = line.text === '' ? '\u00a0' : line.text;
  if (line.mark === ' ') return <div className="config-review-line">{text}</div>;
  const Tag = line.mark === '+' ? 'ins' : 'del';
  return (
    <div className={`config-review-line ${line.mark === '+' ? 'is-new' : 'is-old'}`}>
      <Tag>
        <span className="chart-unseen">{line.mark === '+' ? 'after: ' : 'before: '}</span>
        {text}
      </Tag>
    </div>
  );
}
