/** Finds places by what is typed: every word has to occur, beginnings count for more. */
import { natural } from "./attention";

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
    else return 0;
  }
  return sum;
}

export function find(targets: readonly Target[], typed: string, most = 12): Target[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return targets.slice(0, most);
  return targets
    .map((target) => ({ target, score: score(target, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || natural(a.target.name, b.target.name))
    .slice(0, most)
    .map(({ target }) => target);
}
