/**
 * Finds places by what is typed: every word has to occur, beginnings count for more, and letters of a
 * name that stand apart for least.
 */
import { isUrgent, natural, severity } from "./attention";

export interface Target {
  kind: string;
  name: string;
  /** Where it is: the model, mostly. */
  where: string;
  to: string;
  /** As it is shown everywhere else, where it has one. */
  status?: string;
}

function score(target: Target, words: string[]): number {
  const name = target.name.toLowerCase();
  const text = `${name} ${target.kind} ${target.where}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (name === word) sum += 8;
    else if (name.startsWith(word)) sum += 4;
    else if (name.includes(word)) sum += 2;
    else if (text.includes(word)) sum += 1;
    else if (word.length > 1 && inOrder(name, word)) sum += 0.5;
    else return 0;
  }
  return sum;
}

/** Whether the letters occur in the name one after the other: `qw` in `queue-worker`. */
function inOrder(name: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = name.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** What needs a person, the worst first, then where one was lately: where one goes most often who typed nothing yet. */
function wantedFirst(targets: readonly Target[], recents: readonly string[]): Target[] {
  const urgent = targets.filter(({ status }) => status !== undefined && isUrgent(status));
  const wanted = new Set(urgent);
  urgent.sort((a, b) => severity(a.status ?? "") - severity(b.status ?? "") || natural(a.name, b.name));
  const first = urgent.slice(0, URGENT);
  const byPath = new Map(targets.map((target) => [target.to, target]));
  const visited = recents
    .flatMap((path) => byPath.get(path) ?? [])
    .filter((target) => !first.includes(target))
    .slice(0, RECENT);
  for (const target of visited) wanted.add(target);
  return [...first, ...visited, ...targets.filter((target) => !wanted.has(target))];
}

/** So many that need attention come first; the pages after them stay in sight. */
const URGENT = 5;
const RECENT = 4;

/** `recents` are paths, the newest first. */
export function find(targets: readonly Target[], typed: string, most = 12, recents: readonly string[] = []): Target[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return wantedFirst(targets, recents).slice(0, most);
  return targets
    .map((target) => ({ target, score: score(target, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || natural(a.target.name, b.target.name))
    .slice(0, most)
    .map(({ target }) => target);
}
