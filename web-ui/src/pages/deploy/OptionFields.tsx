import { useId } from "react";
import type { CharmInfo, ConfigOption } from "../../api/types";
import { SelectField, TextField } from "../../components/Fields";
import { valueError } from "../../lib/deployForm";

interface Properties {
  charm: CharmInfo;
  texts: Record<string, string>;
  onChange: (texts: Record<string, string>) => void;
}

/** A field for each option of the charm, filled with its default. */
export function OptionFields({ charm, texts, onChange }: Properties) {
  const options = Object.entries(charm.config.options);
  if (options.length === 0) return <p className="muted">This charm has no options.</p>;
  return (
    <fieldset>
      <legend>Configuration</legend>
      {options.map(([name, option]) => (
        <OptionField
          key={name}
          name={name}
          option={option}
          text={texts[name] ?? String(option.default ?? "")}
          onChange={(text) => onChange({ ...texts, [name]: text })}
        />
      ))}
    </fieldset>
  );
}

interface FieldProperties {
  name: string;
  option: ConfigOption;
  text: string;
  onChange: (text: string) => void;
}

function OptionField({ name, option, text, onChange }: FieldProperties) {
  const id = useId();
  if (option.type === "boolean") {
    return (
      <SelectField
        label={name}
        value={text || "false"}
        onChange={onChange}
        options={["true", "false"]}
        help={option.description}
      />
    );
  }
  if (option.type === "string" && (text.includes("\n") || (option.description ?? "").length > 120)) {
    return (
      <div className="p-form__group">
        <label htmlFor={id}>{name}</label>
        <textarea id={id} rows={3} value={text} spellCheck={false} onChange={(event) => onChange(event.target.value)} />
        {option.description && <p className="p-form-help-text">{option.description}</p>}
      </div>
    );
  }
  const unchanged = text === String(option.default ?? "");
  return (
    <TextField
      label={name}
      type={option.type === "secret" ? "password" : "text"}
      value={text}
      onChange={onChange}
      error={unchanged ? null : valueError(option.type, text)}
      help={option.description}
    />
  );
}
