/** Before and after of a change of configuration. Pure. */
import type { ApplicationConfig, ConfigChange } from '../types';
import { fallbackOf, isSecret, standingOf, textOf, type Source, type Standing } from './edit';

export interface DiffLine {
  mark: ' ' | '-' | '+';
  text: string;
}

export interface Difference {
  name: string;
  before: Source;
  after: Source;
  lines: DiffLine[];
}

/** Beyond this the lines are not matched up but all replaced: the table grows with the square. */
const MATCHED = 500;

/** Lines that go, come and stay. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  if (old.length > MATCHED || young.length > MATCHED) {
    return [...old.map((text): DiffLine => ({ mark: '-', text })), ...young.map((text): DiffLine => ({ mark: '+', text }))];
  }
  const width = young.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === young[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    const [gone, come] = [old[i], young[j]];
    if (gone !== undefined && gone === come) {
      lines.push({ mark: ' ', text: gone });
      i += 1;
      j += 1;
    } else if (gone !== undefined && (come === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: gone });
      i += 1;
    } else if (come !== undefined) {
      lines.push({ mark: '+', text: come });
      j += 1;
    }
  }
  return lines;
}

/** One entry for each option the change names. */
export function diffOf(config: ApplicationConfig, change: ConfigChange): Difference[] {
  const differences: Difference[] = [];
  for (const [name, value] of Object.entries(change.set)) {
    const before = standingOf(config, name);
    const after = { text: isSecret(config, name) ? HIDDEN : textOf(value), source: 'set' as const };
    differences.push({ name, before: before.source, after: 'set', lines: linesBetween(shown(config, name, before), after) });
  }
  for (const name of change.reset) {
    const [before, after] = [standingOf(config, name), fallbackOf(config, name)];
    differences.push({ name, before: before.source, after: after.source, lines: linesBetween(shown(config, name, before), after) });
  }
  return differences.sort((a, b) => a.name.localeCompare(b.name));
}

/** Stands for the values of secrets, which are not shown even while they are new. */
const HIDDEN = '(new value, not shown)';
const PRESENT = '(current value, not shown)';

function shown(config: ApplicationConfig, name: string, standing: Standing): Standing {
  return isSecret(config, name) ? { ...standing, text: PRESENT } : standing;
}

function linesBetween(before: { text: string; source: Source }, after: { text: string; source: Source }): DiffLine[] {
  if (before.source === 'unset') return after.text.split('\n').map((text) => ({ mark: '+', text }));
  if (after.source === 'unset') return before.text.split('\n').map((text) => ({ mark: '-', text }));
  return lineDiff(before.text, after.text);
}
