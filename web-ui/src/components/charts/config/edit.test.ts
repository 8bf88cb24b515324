import { describe, expect, it } from 'vitest';

import type { ApplicationConfig } from '../types';
import { diffOf, lineDiff } from './diff';
import { changeOf, configCommand, editOf, fieldOf, isEmpty, parseValue, resetOf, type Edits } from './edit';

const CONFIG: ApplicationConfig = {
  application: 'site',
  charm: 'local:site-0',
  schema: {
    options: {
      debug: { type: 'boolean', default: false },
      page: { type: 'string', default: 'one\ntwo\nthree' },
      port: { type: 'int', default: 80 },
      ratio: { type: 'float' },
      title: { type: 'string', description: 'Shown on top.' },
    },
  },
  settings: { port: 8080 },
  effective: { debug: false, page: 'one\ntwo\nthree', port: 8080 },
};

function edits(texts: Record<string, string>): Edits {
  const made: Edits = {};
  for (const [name, text] of Object.entries(texts)) {
    const edit = editOf(CONFIG, name, text);
    if (edit) made[name] = edit;
  }
  return made;
}

describe('values', () => {
  const cases: [type: 'int' | 'float' | 'boolean' | 'string' | 'secret', text: string, value: unknown][] = [
    ['int', ' 42 ', 42],
    ['int', '-7', -7],
    ['int', '+7', 7],
    ['int', '9223372036854775807', '9223372036854775807'],
    ['float', '1', 1],
    ['float', '.5', 0.5],
    ['float', '1e3', 1000],
    ['boolean', 'Yes', true],
    ['boolean', 'off', false],
    ['string', ' kept ', ' kept '],
    ['secret', 'secret:abc', 'secret:abc'],
  ];
  it.each(cases)('reads %s %j', (type, text, value) => {
    expect(parseValue({ type }, text)).toEqual({ value });
  });

  const refused: [type: 'int' | 'float' | 'boolean', text: string][] = [
    ['int', ''],
    ['int', '1.5'],
    ['int', '1e3'],
    ['int', '9223372036854775808'],
    ['float', 'inf'],
    ['float', 'NaN'],
    ['float', '1e999'],
    ['float', '0x10'],
    ['boolean', 'maybe'],
    ['boolean', '1'],
  ];
  it.each(refused)('refuses %s %j', (type, text) => {
    expect(parseValue({ type }, text)).toHaveProperty('error');
  });
});

describe('edits', () => {
  it('sends only what differs, by type', () => {
    const change = changeOf(CONFIG, edits({ port: '443', debug: 'true', ratio: '0.5', title: 'Hello' }));
    expect(change).toEqual({ set: { debug: true, port: 443, ratio: 0.5, title: 'Hello' }, reset: [] });
  });

  it('sends nothing for what was typed back, or typed differently', () => {
    expect(editOf(CONFIG, 'port', '8080')).toBeUndefined();
    expect(editOf(CONFIG, 'title', '')).toBeUndefined();
    expect(isEmpty(changeOf(CONFIG, edits({ port: '08080' })))).toBe(true);
  });

  it('resets only what is set', () => {
    const reset = resetOf(CONFIG, 'port');
    expect(reset).toEqual({ kind: 'reset', base: '8080' });
    expect(resetOf(CONFIG, 'debug')).toBeUndefined();
    expect(changeOf(CONFIG, { port: { kind: 'reset', base: '8080' } })).toEqual({ set: {}, reset: ['port'] });
    expect(fieldOf(CONFIG, { port: { kind: 'reset', base: '8080' } }, 'port', { type: 'int', default: 80 }).text).toBe('80');
  });

  it('leaves out what is wrong and says so', () => {
    const wrong = edits({ port: 'many' });
    expect(fieldOf(CONFIG, wrong, 'port', { type: 'int' }).error).toBe('“many” is not a whole number.');
    expect(isEmpty(changeOf(CONFIG, wrong))).toBe(true);
  });

  it('sees that somebody else was faster', () => {
    const mine = edits({ port: '443' });
    const later = { ...CONFIG, settings: { port: 9000 }, effective: { ...CONFIG.effective, port: 9000 } };
    expect(fieldOf(later, mine, 'port', { type: 'int' }).overtaken).toBe('9000');
    expect(fieldOf(CONFIG, mine, 'port', { type: 'int' }).overtaken).toBeUndefined();
  });

  it('says the same on a command line', () => {
    const change = { set: { port: 443, title: "It's on" }, reset: ['debug'] };
    expect(configCommand('site', change)).toBe("periapt config site port=443 'title=It'\\''s on' --reset debug");
  });
});

describe('differences', () => {
  it('marks lines that go, come and stay', () => {
    expect(lineDiff('one\ntwo\nthree', 'one\n2\nthree\nfour').map(({ mark, text }) => mark + text)).toEqual([
      ' one',
      '-two',
      '+2',
      ' three',
      '+four',
    ]);
    expect(lineDiff('same', 'same')).toEqual([{ mark: ' ', text: 'same' }]);
  });

  it('shows where values come from', () => {
    const differences = diffOf(CONFIG, { set: { title: 'Hello' }, reset: ['port'] });
    expect(differences).toEqual([
      { name: 'port', before: 'set', after: 'default', lines: [{ mark: '-', text: '8080' }, { mark: '+', text: '80' }] },
      { name: 'title', before: 'unset', after: 'set', lines: [{ mark: '+', text: 'Hello' }] },
    ]);
  });

  it('does not try to match very long values', () => {
    const long = Array.from({ length: 600 }, (_, index) => `line ${index}`).join('\n');
    expect(lineDiff(long, 'short')).toHaveLength(601);
  });
});
