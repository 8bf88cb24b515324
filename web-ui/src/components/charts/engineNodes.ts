/** Nodes of a dependency engine: filtered, and told in words. Pure. */
import type { EngineNode, EngineNodeState } from './types';

/** The status word whose look a state has. */
export function lookWord(state: EngineNodeState): string {
  return state === 'resting' ? 'waiting' : state;
}

/** Names of the nodes that need `name`. */
export function dependentsOf(name: string, nodes: EngineNode[]): string[] {
  return nodes.filter((node) => node.inputs.includes(name)).map((node) => node.name);
}

/**
 * Nodes whose name, state or error has the words of `filter`, and their direct neighbours, so that
 * what a match rests on stays in the picture. `matches` are the former.
 */
export function filterNodes(nodes: EngineNode[], filter: string): { shown: EngineNode[]; matches: Set<string> } {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = nodes.filter((node) => {
    const text = `${node.name} ${node.state} ${node.error ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const matches = new Set(matching.map((node) => node.name));
  if (words.length === 0) return { shown: nodes, matches };
  const near = new Set(matches);
  for (const node of nodes) {
    for (const input of node.inputs) {
      if (matches.has(node.name)) near.add(input);
      if (matches.has(input)) near.add(node.name);
    }
  }
  return { shown: nodes.filter((node) => near.has(node.name)), matches };
}

/** `31 started, 2 resting, 1 error`, what needs attention first. */
export function countStates(nodes: EngineNode[]): string {
  const order: EngineNodeState[] = ['error', 'stopping', 'stopped', 'resting', 'starting', 'started', 'uninstalled'];
  return order
    .map((state) => ({ state, count: nodes.filter((node) => node.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ');
}

/** What a screen reader says of a node after its name. */
export function nodeText(node: EngineNode): string {
  const parts = ['', node.state];
  if (node['waits-for']) parts.push(`waits for ${node['waits-for']}`);
  if (node.error) parts.push(node.error);
  if (node['start-count']) parts.push(startsText(node['start-count']));
  return parts.join(', ');
}

export function startsText(count: number): string {
  return `started ${count === 1 ? 'once' : `${count} times`}`;
}
