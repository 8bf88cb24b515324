/** Fields for the parameters of an action, with what is wrong beside each. */
import { type ReactNode, useId } from "react";
import { unwrapped } from "../../components/charts/unwrapped";
import { capital, wantedText } from "../../lib/actions/check";
import type { Field, Leaf } from "../../lib/actions/fields";
import type { Texts } from "../../lib/actions/values";

interface Properties {
  fields: readonly Field[];
  texts: Texts;
  /** What is wrong with a field, by its path. */
  errorOf: (path: string) => string | null;
  onChange: (path: string, text: string) => void;
}

export function ParameterFields({ fields, texts, errorOf, onChange }: Properties) {
  return fields.map((field) =>
    field.kind === "group" ? (
      <fieldset key={field.path}>
        <legend>
          {field.name}
          <Required when={field.required} />
        </legend>
        {field.description && <p className="p-form-help-text prose">{shortened(unwrapped(field.description))}</p>}
        {errorOf(field.path) && <p className="p-form-validation__message">{errorOf(field.path)}</p>}
        <ParameterFields fields={field.fields} texts={texts} errorOf={errorOf} onChange={onChange} />
      </fieldset>
    ) : (
      <ParameterField
        key={field.path}
        leaf={field}
        text={texts[field.path] ?? ""}
        error={errorOf(field.path)}
        onChange={(text) => onChange(field.path, text)}
      />
    ),
  );
}

interface FieldProperties {
  leaf: Leaf;
  text: string;
  error: string | null;
  onChange: (text: string) => void;
}

function ParameterField({ leaf, text, error, onChange }: FieldProperties) {
  const help = helpOf(leaf);
  return (
    <Labelled label={leaf.name} required={leaf.required} help={help} error={error}>
      {(shared) => {
        if (leaf.kind === "boolean" || leaf.kind === "choice") {
          return (
            <select {...shared} value={text} onChange={(event) => onChange(event.target.value)}>
              {optionsOf(leaf, text).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          );
        }
        if (leaf.kind === "list" || leaf.kind === "json" || hasLines(leaf, text)) {
          return (
            <textarea
              {...shared}
              rows={Math.min(10, Math.max(3, text.split("\n").length + 1))}
              value={text}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        return (
          <input
            {...shared}
            type="text"
            inputMode={leaf.kind === "integer" ? "numeric" : leaf.kind === "number" ? "decimal" : undefined}
            value={text}
            placeholder={leaf.kind === "integer" || leaf.kind === "number" ? shownDefault(leaf) : undefined}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Labelled>
  );
}

export interface Shared {
  id: string;
  required: boolean;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

interface LabelledProperties {
  label: string;
  required?: boolean;
  help: ReactNode;
  error: string | null;
  children: (shared: Shared) => ReactNode;
}

/** A field with its name, what it is for, and what is wrong with it. */
export function Labelled({ label, required = false, help, error, children }: LabelledProperties) {
  const id = useId();
  const described = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(" ");
  return (
    <div className={`p-form__group ${error ? "p-form-validation is-error" : ""}`}>
      <label htmlFor={id} className="parameter__name">
        {label}
        <Required when={required} />
      </label>
      {children({ id, required, "aria-invalid": error !== null, "aria-describedby": described || undefined })}
      {error && (
        <p id={`${id}-error`} className="p-form-validation__message">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="p-form-help-text prose">
          {help}
        </p>
      )}
    </div>
  );
}

function Required({ when }: { when: boolean }) {
  return when ? <span className="parameter__required"> required</span> : null;
}

/** A form is no place for a whole chapter; the charm's own documents have it. */
const LONGEST = 1000;

export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function helpOf(leaf: Leaf): string {
  const { kind, schema } = leaf;
  const wanted =
    kind === "list"
      ? "One per line"
      : kind === "json"
        ? "JSON"
        : kind === "any"
          ? "A text, or JSON"
          : kind === "choice" || kind === "boolean"
            ? ""
            : wantedText(kind, schema);
  const pattern = kind === "text" && typeof schema["pattern"] === "string" ? `Matches ${schema["pattern"]}` : "";
  const lines = [unwrapped(leaf.description), [wanted, pattern].filter(Boolean).join(". ")];
  return shortened(lines.filter(Boolean).map(capital).join("\n"));
}

/** A text of several lines has room for them. */
function hasLines(leaf: Leaf, text: string): boolean {
  return text.includes("\n") || (typeof leaf.fallback === "string" && leaf.fallback.includes("\n"));
}

function shownDefault(leaf: Leaf): string | undefined {
  return leaf.fallback === undefined ? undefined : JSON.stringify(leaf.fallback);
}

/** Without a default a choice can be left to the charm, unless it is needed. */
function optionsOf(leaf: Leaf, text: string): [value: string, words: string][] {
  const choices: unknown[] = leaf.kind === "boolean" ? [true, false] : [...leaf.choices];
  const options = choices.map((choice): [string, string] => {
    const value = JSON.stringify(choice);
    return [value, typeof choice === "string" ? choice || "empty" : value];
  });
  const isOption = options.some(([value]) => value === text);
  if (text !== "" && !isOption) return [[text, text], ...options];
  if (leaf.fallback !== undefined && text !== "") return options;
  return [["", leaf.required ? "choose one" : "not given"], ...options];
}
