import { textOf, type Field } from './edit';

interface Props {
  id: string;
  field: Field;
  described: string;
  readOnly: boolean;
  onText: (text: string) => void;
}

/** A value that can be replaced and never read: whether there is one, and room for another. */
export function SecretField({ id, field, described, readOnly, onText }: Props) {
  const { name, text, source, changed, replacing } = field;
  if (!replacing) {
    const words = source === 'set' ? 'Set. The value is not shown.' : changed ? 'Will be unset.' : 'Not set.';
    return (
      <div className="config-field-line">
        <output id={id} className="config-field-secret" aria-describedby={described} data-option={name} tabIndex={-1}>
          {words}
        </output>
        {readOnly ? null : (
          <button
            type="button"
            className="chart-button"
            aria-label={`${source === 'set' ? 'Replace' : 'Set'}: ${name}`}
            onClick={() => onText('')}
          >
            {source === 'set' ? 'Replace' : 'Set'}
          </button>
        )}
      </div>
    );
  }
  return (
    <textarea
      id={id}
      data-option={name}
      className="config-field-input is-lines"
      rows={3}
      autoFocus
      aria-describedby={described}
      placeholder="The new value"
      autoComplete="off"
      spellCheck={false}
      value={textOf(text)}
      onChange={(event) => onText(event.target.value)}
    />
  );
}
