import { useId } from "react";
import { BLANK, isBlank, keyError, type Typed } from "../../lib/secrets";

interface Properties {
  typed: readonly Typed[];
  onChange: (typed: readonly Typed[]) => void;
}

/** The values of a secret, a key and a text each. */
export function ValueFields({ typed, onChange }: Properties) {
  const put = (place: number, change: Partial<Typed>): void =>
    onChange(typed.map((each, at) => (at === place ? { ...each, ...change } : each)));
  return (
    <fieldset>
      <legend>Values</legend>
      {typed.map((each, place) => (
        <ValueField
          key={place}
          number={place + 1}
          typed={each}
          error={isBlank(each) ? null : keyError(typed, place)}
          onChange={(change) => put(place, change)}
          onRemove={typed.length > 1 ? () => onChange(typed.filter((_, at) => at !== place)) : null}
        />
      ))}
      <button type="button" className="p-button is-small" onClick={() => onChange([...typed, BLANK])}>
        Another value
      </button>
    </fieldset>
  );
}

interface FieldProperties {
  number: number;
  typed: Typed;
  error: string | null;
  onChange: (change: Partial<Typed>) => void;
  onRemove: (() => void) | null;
}

function ValueField({ number, typed, error, onChange, onRemove }: FieldProperties) {
  const id = useId();
  return (
    <div className={`p-form__group ${error ? "p-form-validation is-error" : ""}`}>
      <label htmlFor={`${id}-key`}>Key {number}</label>
      <input
        id={`${id}-key`}
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typed.key}
        aria-invalid={error !== null}
        aria-describedby={error ? `${id}-error` : undefined}
        onChange={(event) => onChange({ key: event.target.value })}
      />
      {error && (
        <p id={`${id}-error`} className="p-form-validation__message">
          {error}
        </p>
      )}
      <label htmlFor={`${id}-value`}>Value {number}</label>
      <textarea
        id={`${id}-value`}
        rows={2}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={typed.value}
        onChange={(event) => onChange({ value: event.target.value })}
      />
      {onRemove && (
        <button type="button" className="p-button is-small" onClick={onRemove}>
          Leave out<span className="u-off-screen"> value {number}</span>
        </button>
      )}
    </div>
  );
}
