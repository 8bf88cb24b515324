import './charts.css';
import './config/config.css';
import { useEffect, useId, useMemo, useRef, useState, type FormEvent, type ReactNode } from 'react';

import { ConfigField } from './config/ConfigField';
import { ConfigReview } from './config/ConfigReview';
import { changeOf, editOf, fieldsOf, isEmpty, resetOf, type Edit, type Edits, type Field } from './config/edit';
import type { ApplicationConfig, ConfigChange } from './types';

export interface ConfigFormProps {
  config: ApplicationConfig;
  /** Applies the change; the form forgets its edits when the promise is kept, and shows why not. */
  onApply: (change: ConfigChange) => void | Promise<void>;
  busy?: boolean | undefined;
  error?: string | null | undefined;
  /** What the server says of single options. */
  fieldErrors?: Record<string, string> | undefined;
  readOnly?: boolean | undefined;
  /** Below the differences: the same as a command, for example. */
  review?: ((change: ConfigChange) => ReactNode) | undefined;
  onDirtyChange?: ((dirty: boolean) => void) | undefined;
}

const FILTER_FROM = 10;

/** The options of a charm as a form; what changes is shown before it is applied. */
export function ConfigForm(props: ConfigFormProps) {
  const { config, onApply, busy = false, error, fieldErrors, readOnly = false, review, onDirtyChange } = props;
  const [edits, setEdits] = useState<Edits>({});
  const [reviewing, setReviewing] = useState(false);
  const [filter, setFilter] = useState('');
  const [checked, setChecked] = useState(false);
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [sought, setSought] = useState<{ name: string } | null>(null);
  const baseId = useId();
  const form = useRef<HTMLFormElement>(null);

  const fields = useMemo(() => fieldsOf(config, edits), [config, edits]);
  const change = useMemo(() => changeOf(config, edits), [config, edits]);
  const wrong = fields.filter((field) => field.error !== undefined);
  const dirty = wrong.length > 0 || !isEmpty(change);
  const count = Object.keys(change.set).length + change.reset.length;

  useEffect(() => {
    onDirtyChange?.(dirty);
  }, [dirty, onDirtyChange]);

  // After the filter has let go of it: a field that is not drawn takes no focus.
  useEffect(() => {
    if (!sought) return;
    for (const input of form.current?.querySelectorAll<HTMLElement>('[data-option]') ?? []) {
      if (input.dataset['option'] !== sought.name) continue;
      const folded = input.closest('details');
      if (folded) folded.open = true;
      input.focus();
    }
  }, [sought]);

  if (fields.length === 0) return <p className="chart-empty">The charm {config.charm} has no options to configure.</p>;

  const edit = (name: string, to: Edit | undefined) => {
    setFailure(null);
    setEdits(({ [name]: _, ...others }) => (to ? { ...others, [name]: to } : others));
  };

  const onReview = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const first = wrong[0];
    if (first) {
      setFilter('');
      setSought({ name: first.name });
    } else if (!isEmpty(change)) setReviewing(true);
  };

  const apply = async () => {
    setWorking(true);
    setFailure(null);
    try {
      await onApply(change);
      setEdits({});
      setChecked(false);
      setReviewing(false);
    } catch (reason) {
      setFailure(reason instanceof Error ? reason.message : String(reason));
    } finally {
      setWorking(false);
    }
  };

  const problem = failure ?? error ?? null;

  if (reviewing && !isEmpty(change)) {
    return (
      <ConfigReview
        config={config}
        change={change}
        busy={busy || working}
        problem={problem}
        overtaken={fields.filter((field) => field.overtaken !== undefined && edits[field.name])}
        onApply={() => void apply()}
        onBack={() => setReviewing(false)}
      >
        {review?.(change)}
      </ConfigReview>
    );
  }

  const needle = filter.trim().toLowerCase();
  const shown = fields.filter(
    (field) =>
      needle === '' ||
      field.name.toLowerCase().includes(needle) ||
      (field.option.description ?? '').toLowerCase().includes(needle),
  );

  // Whether it is folded away never changes while one edits: a field that moved would lose the focus.
  const isFolded = ({ name, option }: Field) => needle === '' && option.idle === true && !Object.hasOwn(config.settings, name);
  const folded = shown.filter(isFolded);
  const fieldView = (field: Field) => (
    <ConfigField
      key={field.name}
      id={`${baseId}-${field.name}`}
      field={field}
      serverError={fieldErrors?.[field.name]}
      settable={Object.hasOwn(config.settings, field.name)}
      edited={edits[field.name]?.kind}
      readOnly={readOnly || busy}
      onText={(text) => edit(field.name, editOf(config, field.name, text, edits[field.name]))}
      onReset={() => edit(field.name, resetOf(config, field.name))}
      onUndo={() => edit(field.name, undefined)}
    />
  );

  return (
    <form className="chart config-form" ref={form} noValidate onSubmit={onReview} aria-label={`Configuration of ${config.application}`}>
      {fields.length >= FILTER_FROM ? (
        <div className="chart-bar">
          <label className="chart-unseen" htmlFor={`${baseId}-filter`}>
            Filter options
          </label>
          <input
            id={`${baseId}-filter`}
            className="config-form-filter"
            type="search"
            placeholder="Filter options"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <span className="chart-summary" role="status">
            {shown.length === fields.length ? `${fields.length} options` : `${shown.length} of ${fields.length} options`}
          </span>
        </div>
      ) : null}
      {problem ? (
        <p className="config-form-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {shown.filter((field) => !isFolded(field)).map(fieldView)}
      {folded.length > 0 ? (
        <details className="config-form-folded">
          <summary>
            {folded.length} {folded.length === 1 ? 'option' : 'options'} without effect here
          </summary>
          {folded.map(fieldView)}
        </details>
      ) : null}
      {shown.length === 0 ? <p className="chart-empty">No option has “{filter.trim()}” in its name or description.</p> : null}
      {readOnly ? null : (
        <div className={`config-form-end${dirty ? ' is-dirty' : ''}`}>
          <button type="submit" className="chart-button is-main" disabled={!dirty || busy}>
            {count > 0 ? `Review ${count} ${count === 1 ? 'change' : 'changes'}` : 'Review changes'}
          </button>
          <button
            type="button"
            className="chart-button"
            disabled={Object.keys(edits).length === 0}
            onClick={() => {
              setEdits({});
              setChecked(false);
            }}
          >
            Discard
          </button>
          <span className="chart-summary" role="status">
            {checked && wrong.length > 0
              ? `${wrong.length} ${wrong.length === 1 ? 'option needs' : 'options need'} another value: ${wrong.map((field) => field.name).join(', ')}`
              : ''}
          </span>
        </div>
      )}
    </form>
  );
}
