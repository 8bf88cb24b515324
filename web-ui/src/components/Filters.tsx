import { useEffect, useState } from "react";
import { SelectField, TextField } from "./Fields";

export interface Filter<K extends string> {
  name: K;
  label: string;
  /** A choice when given, else a text. */
  options?: [value: string, label: string][];
  help?: string;
}

interface Properties<K extends string> {
  filters: Filter<K>[];
  values: Record<K, string>;
  onChange: (name: K, value: string) => void;
  onClear: () => void;
}

/** Fields that narrow a list. What is typed counts a moment after the last key. */
export function Filters<K extends string>({ filters, values, onChange, onClear }: Properties<K>) {
  return (
    <div className="filters" role="group" aria-label="Filters">
      {filters.map(({ name, label, options, help }) =>
        options ? (
          <SelectField
            key={name}
            label={label}
            value={values[name]}
            options={options}
            onChange={(value) => onChange(name, value)}
          />
        ) : (
          <Delayed
            key={name}
            label={label}
            value={values[name]}
            help={help}
            onChange={(value) => onChange(name, value)}
          />
        ),
      )}
      {filters.some(({ name }) => values[name] !== "") && (
        <button type="button" className="p-button is-small" onClick={onClear}>
          Clear filters
        </button>
      )}
    </div>
  );
}

interface DelayedProperties {
  label: string;
  value: string;
  help?: string | undefined;
  onChange: (value: string) => void;
}

function Delayed({ label, value, help, onChange }: DelayedProperties) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), 350);
    return () => clearTimeout(timer);
  }, [text]);
  return <TextField label={label} type="search" value={text} onChange={setText} help={help} />;
}
