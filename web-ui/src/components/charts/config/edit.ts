/** Editing configuration: read, check, compare. Pure; the rules are those of the server. */
import type { ApplicationConfig, ConfigChange, ConfigOption, ConfigValue } from '../types';

/** What the person did to one option; `base` is the text it had when they began. */
export type Edit = { kind: 'set'; text: string; base: string } | { kind: 'reset'; base: string };

export type Edits = Record<string, Edit>;

export type Parsed = { value: ConfigValue } | { error: string };

export function textOf(value: ConfigValue | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

/** The typed value of a text. An integer JSON would round stays a text, which the server reads. */
export function parseValue(option: ConfigOption, text: string): Parsed {
  const trimmed = text.trim();
  switch (option.type) {
    case 'int': {
      if (!INTEGER.test(trimmed)) return { error: needed('a whole number, such as 8080', trimmed) };
      const exact = BigInt(trimmed.replace('+', ''));
      if (exact < LEAST || exact > GREATEST) return { error: 'This number is too large.' };
      const number = Number(exact);
      return { value: Number.isSafeInteger(number) ? number : String(exact) };
    }
    case 'float': {
      const number = Number(trimmed);
      if (!NUMBER.test(trimmed)) return { error: needed('a number, such as 0.5', trimmed) };
      return Number.isFinite(number) ? { value: number } : { error: 'This number is too large.' };
    }
    case 'boolean':
      if (['true', 'yes', 'on'].includes(trimmed.toLowerCase())) return { value: true };
      if (['false', 'no', 'off'].includes(trimmed.toLowerCase())) return { value: false };
      return { error: needed('true or false', trimmed) };
    default:
      return { value: text };
  }
}

function needed(what: string, got: string): string {
  return got === '' ? `Enter ${what}, or reset the option.` : `“${got}” is not ${what.split(',')[0] ?? what}.`;
}

/** Where a value comes from. */
export type Source = 'set' | 'default' | 'unset';

export interface Standing {
  text: string;
  source: Source;
}

function has(values: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(values, name);
}

/** Whether an option can be set and never read. */
export function isSecret(config: ApplicationConfig, name: string): boolean {
  return config.schema.options[name]?.['write-only'] === true;
}

/** What holds now; of a secret, only whether anything does. */
export function standingOf(config: ApplicationConfig, name: string): Standing {
  if (isSecret(config, name)) return { text: '', source: has(config.settings, name) ? 'set' : 'unset' };
  if (has(config.settings, name)) return { text: textOf(config.effective[name] ?? config.settings[name]), source: 'set' };
  return fallbackOf(config, name);
}

/** What would hold without a setting. */
export function fallbackOf(config: ApplicationConfig, name: string): Standing {
  const value = config.schema.options[name]?.default;
  return value === null || value === undefined
    ? { text: '', source: 'unset' }
    : { text: textOf(value), source: 'default' };
}

/** An edit of `text`; none when this is what already holds. */
export function editOf(config: ApplicationConfig, name: string, text: string, old?: Edit): Edit | undefined {
  const standing = standingOf(config, name);
  // What a secret holds is not known: whatever is typed is another value.
  if (isSecret(config, name)) return { kind: 'set', text, base: '' };
  if (text === standing.text && standing.source !== 'unset') return undefined;
  if (text === '' && standing.source === 'unset') return undefined;
  return { kind: 'set', text, base: old?.base ?? standing.text };
}

/** A reset; none where nothing is set. */
export function resetOf(config: ApplicationConfig, name: string): Edit | undefined {
  const standing = standingOf(config, name);
  return standing.source === 'set' ? { kind: 'reset', base: standing.text } : undefined;
}

export interface Field {
  name: string;
  option: ConfigOption;
  /** What the input shows. */
  text: string;
  /** Where that will come from. */
  source: Source;
  changed: boolean;
  error: string | undefined;
  /** Set meanwhile by somebody else: what holds now. */
  overtaken: string | undefined;
  /** A secret that is given a new value; there is nothing to be sent until one is typed. */
  replacing: boolean;
}

export function fieldOf(config: ApplicationConfig, edits: Edits, name: string, option: ConfigOption): Field {
  const edit = edits[name];
  const standing = standingOf(config, name);
  const plain = { name, option, error: undefined, overtaken: undefined, replacing: false };
  if (!edit) return { ...plain, ...standing, changed: false };
  const overtaken = standing.text === edit.base ? undefined : standing.text;
  if (edit.kind === 'reset') return { ...plain, ...fallbackOf(config, name), changed: true, overtaken };
  if (isSecret(config, name)) {
    return { ...plain, text: edit.text, source: 'set', changed: edit.text !== '', replacing: true };
  }
  const parsed = parseValue(option, edit.text);
  const error = 'error' in parsed ? parsed.error : undefined;
  return { ...plain, text: edit.text, source: 'set', changed: true, error, overtaken };
}

export function fieldsOf(config: ApplicationConfig, edits: Edits): Field[] {
  return Object.entries(config.schema.options).map(([name, option]) => fieldOf(config, edits, name, option));
}

/** What to send; fields in error are left out, so ask for them first. */
export function changeOf(config: ApplicationConfig, edits: Edits): ConfigChange {
  const change: ConfigChange = { set: {}, reset: [] };
  for (const field of fieldsOf(config, edits)) {
    const edit = edits[field.name];
    if (!edit || field.error !== undefined) continue;
    if (edit.kind === 'reset') {
      if (has(config.settings, field.name)) change.reset.push(field.name);
      continue;
    }
    if (field.replacing && edit.text === '') continue;
    const parsed = parseValue(field.option, edit.text);
    if (!('value' in parsed)) continue;
    // `08` is 8: typed differently, yet no change.
    const standing = standingOf(config, field.name);
    if (standing.source !== 'unset' && textOf(parsed.value) === standing.text) continue;
    change.set[field.name] = parsed.value;
  }
  return change;
}

export function isEmpty(change: ConfigChange): boolean {
  return Object.keys(change.set).length === 0 && change.reset.length === 0;
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same change on a command line. */
export function configCommand(application: string, change: ConfigChange): string {
  const set = Object.entries(change.set).map(([name, value]) => quoted(`${name}=${textOf(value)}`));
  const reset = change.reset.length > 0 ? [`--reset ${quoted(change.reset.join(','))}`] : [];
  return ['periapt config', quoted(application), ...set, ...reset].join(' ');
}
