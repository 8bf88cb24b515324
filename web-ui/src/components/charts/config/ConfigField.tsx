import { useState, type ChangeEvent } from 'react';

import { unwrapped } from '../unwrapped';
import { textOf, type Field } from './edit';
import { SecretField } from './SecretField';

interface Props {
  id: string;
  field: Field;
  serverError: string | undefined;
  /** Whether there is a setting that a reset would take away. */
  settable: boolean;
  edited: 'set' | 'reset' | undefined;
  readOnly: boolean;
  onText: (text: string) => void;
  onReset: () => void;
  onUndo: () => void;
}

const SHORT = 72;

/** One option: its name, what it is for, its input, and what is wrong with it. */
export function ConfigField(props: Props) {
  const { id, field, serverError, settable, edited, readOnly, onReset, onUndo } = props;
  const { name, option, changed } = field;
  const error = field.error ?? serverError;
  const fallback = option.default === null || option.default === undefined ? null : textOf(option.default);
  const described = [option.description ? `${id}-for` : '', `${id}-from`, error ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');

  return (
    <div className={`config-field${changed ? ' is-changed' : ''}${error ? ' is-wrong' : ''}`}>
      <div className="config-field-head">
        <label className="config-field-name" htmlFor={id}>
          {name}
        </label>
        <span className="config-field-type">{option.kind ?? option.type}</span>
        {changed ? <span className="config-field-mark">changed</span> : null}
      </div>
      {option.description ? (
        <p className="config-field-for" id={`${id}-for`}>
          {unwrapped(option.description)}
        </p>
      ) : null}
      {option['write-only'] ? (
        <SecretField id={id} field={field} described={described} readOnly={readOnly} onText={props.onText} />
      ) : (
        <Input {...props} described={described} wrong={error !== undefined} />
      )}
      {error ? (
        <p className="config-field-error" id={`${id}-error`}>
          {error}
        </p>
      ) : null}
      {field.overtaken !== undefined ? (
        <p className="config-field-overtaken" role="status">
          Changed meanwhile{field.overtaken === '' ? '; it is not set now.' : ` to “${shortened(field.overtaken)}”.`}
        </p>
      ) : null}
      <div className="config-field-foot">
        <span id={`${id}-from`} className="chart-muted">
          {option['write-only'] && !changed
            ? 'write-only'
            : field.source === 'set'
              ? changed
                ? 'will be set'
                : 'set'
              : field.source === 'default'
                ? 'default'
                : 'not set'}
          {field.source === 'set' && fallback !== null ? `; default ${fallback === '' ? 'empty' : `“${shortened(fallback)}”`}` : ''}
        </span>
        {readOnly ? null : (
          <>
            {settable && edited !== 'reset' ? (
              <button type="button" className="config-field-action" onClick={onReset} aria-label={`${fallback === null ? 'Unset' : 'Reset to default'}: ${name}`}>
                {fallback === null ? 'Unset' : 'Reset to default'}
              </button>
            ) : null}
            {edited ? (
              <button type="button" className="config-field-action" onClick={onUndo} aria-label={`Undo the change of ${name}`}>
                Undo
              </button>
            ) : null}
          </>
        )}
      </div>
    </div>
  );
}

function shortened(text: string): string {
  const line = text.split('\n')[0] ?? '';
  const cut = line.length > SHORT || line.length < text.length;
  return cut ? `${line.slice(0, SHORT)}…` : line;
}

function Input(props: Props & { described: string; wrong: boolean }) {
  const { id, field, readOnly, onText, described, wrong } = props;
  const { name, option, text } = field;
  // Once on several lines it stays so: a box that shrinks while one types moves the page.
  const [lines, setLines] = useState(() => text.includes('\n') || textOf(option.default).includes('\n') || text.length > 120);
  const shared = {
    id,
    'data-option': name,
    'aria-describedby': described,
    'aria-invalid': wrong,
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onText(event.target.value),
  };
  if (option.type === 'boolean') {
    return (
      <select {...shared} className="config-field-input" disabled={readOnly}>
        {field.source === 'unset' || text === '' ? <option value="">not set</option> : null}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  if (option.choices) {
    return (
      <select {...shared} className="config-field-input" disabled={readOnly}>
        {[...new Set([...option.choices, text])].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (option.type === 'string' && (lines || text.includes('\n'))) {
    const rows = Math.min(16, Math.max(3, text.split('\n').length + 1));
    return <textarea {...shared} className="config-field-input is-lines" rows={rows} readOnly={readOnly} spellCheck={false} />;
  }
  const numeric = option.type === 'int' ? 'numeric' : option.type === 'float' ? 'decimal' : undefined;
  return (
    <div className="config-field-line">
      <input
        {...shared}
        className="config-field-input"
        type="text"
        inputMode={numeric}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        readOnly={readOnly}
        placeholder={option.type === 'secret' ? 'secret:…' : undefined}
      />
      {['string', 'text'].includes(option.kind ?? option.type) && !readOnly ? (
        <button
          type="button"
          className="chart-button"
          aria-label={`Multi-line: ${name}`}
          onClick={() => setLines(true)}
        >
          Multi-line
        </button>
      ) : null}
    </div>
  );
}
