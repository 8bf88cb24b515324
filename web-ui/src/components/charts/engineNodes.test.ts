import { describe, expect, it } from 'vitest';

import { countStates, dependentsOf, filterNodes, nodeText } from './engineNodes';
import type { EngineNode } from './types';

const nodes: EngineNode[] = [
  { name: 'agent', state: 'started', inputs: [], 'start-count': 1 },
  { name: 'api-caller', state: 'error', inputs: ['agent'], error: 'connection refused', 'start-count': 3 },
  { name: 'logger', state: 'stopped', inputs: ['agent'] },
  { name: 'uniter', state: 'resting', inputs: ['api-caller'], 'waits-for': 'api-caller' },
  { name: 'upgrader', state: 'uninstalled', inputs: [], error: 'nothing to upgrade' },
];

describe('engine nodes', () => {
  it('counts states, what needs attention first', () => {
    expect(countStates(nodes)).toBe('1 error, 1 stopped, 1 resting, 1 started, 1 uninstalled');
  });

  it('keeps the neighbours of what matches', () => {
    const { shown, matches } = filterNodes(nodes, 'REFUSED');
    expect([...matches]).toEqual(['api-caller']);
    expect(shown.map((node) => node.name)).toEqual(['agent', 'api-caller', 'uniter']);
    expect(filterNodes(nodes, ' ').matches.size).toBe(5);
    expect(filterNodes(nodes, 'nobody').shown).toEqual([]);
  });

  it('says what a node is in words', () => {
    expect(dependentsOf('agent', nodes)).toEqual(['api-caller', 'logger']);
    expect(nodes.map(nodeText)).toContain(', error, connection refused, started 3 times');
    expect(nodes.map(nodeText)).toContain(', resting, waits for api-caller');
  });
});
