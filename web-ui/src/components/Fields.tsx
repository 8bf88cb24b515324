import { type ReactNode, useId } from "react";

/** Names and values of one thing. What is in `wide` may be long and has a line of its own. */
export function Facts({ rows, wide = [] }: { rows: [string, ReactNode][]; wide?: readonly string[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name} className={`facts__row${wide.includes(name) ? " facts__row--wide" : ""}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TextProperties {
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: ReactNode;
  error?: string | null;
  type?: "text" | "password" | "number" | "search";
  autoComplete?: string;
  required?: boolean;
  min?: number;
  max?: number;
}

export function TextField(properties: TextProperties) {
  const { label, value, onChange, help, error, type = "text", ...rest } = properties;
  const id = useId();
  return (
    <div className={`p-form__group ${error ? "p-form-validation is-error" : ""}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        spellCheck={false}
        autoCapitalize="off"
        aria-invalid={Boolean(error)}
        aria-describedby={error || help ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.value)}
        autoComplete={rest.autoComplete ?? "off"}
        required={rest.required}
        min={rest.min}
        max={rest.max}
      />
      {(error || help) && (
        <p
          id={`${id}-help`}
          className={error ? "p-form-validation__message" : "p-form-help-text"}
        >
          {error ?? help}
        </p>
      )}
    </div>
  );
}

interface SelectProperties {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: (string | [value: string, label: string])[];
  help?: ReactNode;
}

export function SelectField({ label, value, onChange, options, help }: SelectProperties) {
  const id = useId();
  return (
    <div className="p-form__group">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => {
          const [key, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={key} value={key}>
              {text}
            </option>
          );
        })}
      </select>
      {help && <p className="p-form-help-text">{help}</p>}
    </div>
  );
}
