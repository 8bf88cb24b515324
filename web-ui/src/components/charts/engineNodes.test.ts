import { describe, expect, it } from 'vitest';

import { countStates, dependentsOf, filterNodes, nodesOfReport, nodeText } from './engineNodes';

const nodes = nodesOfReport({
  name: 'controller',
  state: 'started',
  manifolds: {
    agent: { state: 'started', inputs: [], 'start-count': 1 },
    'api-caller': { state: 'stopped', inputs: ['agent'], error: 'connection refused', 'start-count': 3 },
    uniter: { state: 'stopped', inputs: ['api-caller'], 'waits-for': 'api-caller' },
    logger: { state: 'stopped', inputs: ['agent'] },
  },
  uninstalled: { upgrader: 'nothing to upgrade' },
});

describe('engine nodes', () => {
  it('gives each node one state', () => {
    expect(Object.fromEntries(nodes.map((node) => [node.name, node.state]))).toEqual({
      agent: 'started',
      'api-caller': 'error',
      logger: 'stopped',
      uniter: 'resting',
      upgrader: 'uninstalled',
    });
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
