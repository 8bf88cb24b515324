import { describe, expect, it } from 'vitest';

import { boxSize, lineName, relatedDrawing, TAB } from './topologyDrawing';
import { lineLabel, lineLook, nearTo, shapeOf, worstLook } from './topologyLines';
import type { RelationInfo, TopologyApplication } from './types';

function application(name: string, subordinate = false): TopologyApplication {
  return { name, status: 'active', message: '', units: 1, unitStatuses: ['active'], charm: `local:${name}-0`, subordinate };
}

function relation(requirer: string, provider: string, more: Partial<RelationInfo> = {}): RelationInfo {
  return {
    id: 0,
    interface: 'http',
    scope: 'global',
    status: { status: 'joined' },
    endpoints: [
      { application: requirer, name: 'in', role: 'requirer' },
      { application: provider, name: 'out', role: 'provider' },
    ],
    ...more,
  };
}

const beside = (guest: string, host: string, status: RelationInfo['status']['status'] = 'joined') =>
  relation(guest, host, { scope: 'container', status: { status } });

const names = ({ boxes, attached, lines }: ReturnType<typeof shapeOf>) => ({
  boxes,
  attached: attached.map(({ id }) => id),
  lines: lines.map(({ id }) => id),
});

describe('lines', () => {
  it('say what is spoken, at which ports, and how they are if not well', () => {
    const ports = ['80/tcp', '81/tcp', '90/tcp'];
    expect(lineLabel([relation('front', 'site')])).toBe('http');
    expect(lineLabel([relation('front', 'site', { ports: ['80/tcp'] })])).toBe('http · 80/tcp');
    const several = [relation('front', 'site', { ports }), relation('front', 'site', { ports, status: { status: 'suspended' } })];
    expect(lineLabel(several)).toBe('http · 80/tcp, 81/tcp +1 · suspended');
  });

  it('are called by all that is written at them', () => {
    const open = relation('front', 'site', { ports: ['80/tcp'] });
    expect(lineName([relation('front', 'site')])).toBe('http: front:in – site:out (http)');
    expect(lineName([open])).toBe('http · 80/tcp: front:in – site:out (http, 80/tcp)');
  });

  it('go from the provider to the requirer, one for each pair, as bad as the worst', () => {
    const relations = [relation('front', 'site'), relation('site', 'front', { status: { status: 'suspending' } }), relation('site', 'site')];
    const shape = shapeOf([application('site'), application('front')], relations);
    expect(names(shape)).toEqual({ boxes: ['front', 'site'], attached: [], lines: ['site front'] });
    expect(worstLook(shape.lines[0]?.relations ?? [])).toBe('suspended');
  });

  it('lead to applications that are there', () => {
    expect(shapeOf([application('site')], [relation('front', 'site')]).lines).toEqual([]);
  });

  it('have a look for every status', () => {
    expect(['joined', '', 'joining', 'suspending', 'suspended', 'broken', 'new word'].map(lineLook)).toEqual([
      'joined', 'joined', 'joining', 'suspended', 'suspended', 'broken', 'joining',
    ]);
  });
});

describe('a subordinate', () => {
  const all = [application('site'), application('front'), application('log', true), application('db')];

  it('stands at the side of its only principal, and its other lines end there', () => {
    const shape = shapeOf(all, [beside('log', 'site'), relation('log', 'site'), relation('log', 'db')]);
    expect(names(shape)).toEqual({ boxes: ['db', 'front', 'site'], attached: ['log'], lines: ['db log'] });
    expect(shape.attached[0]?.relations).toHaveLength(2);
  });

  it('stands at the side of each of several', () => {
    const shape = shapeOf(all, [beside('log', 'site'), beside('log', 'front', 'suspended')]);
    expect(names(shape)).toEqual({ boxes: ['db', 'front', 'site'], attached: ['log in front', 'log in site'], lines: [] });
    expect(shape.attached.map(({ relations }) => worstLook(relations))).toEqual(['suspended', 'joined']);
  });

  it('has a box too when it stands beside several and is related elsewhere', () => {
    const shape = shapeOf(all, [beside('log', 'site'), beside('log', 'front'), relation('log', 'db')]);
    expect(names(shape)).toEqual({
      boxes: ['db', 'front', 'log', 'site'],
      attached: ['log in front', 'log in site'],
      lines: ['db log'],
    });
  });

  it('has a box of its own as long as it stands beside nobody', () => {
    expect(names(shapeOf(all, [])).boxes).toEqual(['db', 'front', 'log', 'site']);
  });

  it('touches its principal and nothing else', () => {
    const size = boxSize(4);
    const shape = shapeOf(all, [beside('log', 'site'), relation('front', 'site'), relation('log', 'db')]);
    for (const window of [{ width: 1200, height: 500 }, { width: 340, height: 500 }]) {
      const { places } = relatedDrawing(shape, size, window).drawing;
      const [site, log, front] = ['site', 'log', 'front'].map((name) => places.get(name) ?? { x: NaN, y: NaN });
      expect(log).toEqual({ x: (site?.x ?? 0) + TAB.inset, y: (site?.y ?? 0) + size.height });
      const apart =
        Math.abs((front?.x ?? 0) - (site?.x ?? 0)) >= size.width ||
        (front?.y ?? 0) >= (log?.y ?? 0) + TAB.height ||
        (front?.y ?? 0) + size.height <= (site?.y ?? 0);
      expect(apart).toBe(true);
    }
  });
});

describe('what is near', () => {
  const all = [application('site'), application('front'), application('log', true), application('db'), application('alone')];
  const shape = shapeOf(all, [beside('log', 'site'), relation('front', 'site'), relation('log', 'db')]);
  const near = (pointed: string): string[] => [...nearTo(shape, pointed)].sort();

  it('to a box is what its lines lead to, and what hangs at it', () => {
    expect(near('site')).toEqual(['front', 'log', 'site']);
    expect(near('front')).toEqual(['front', 'site']);
    expect(near('alone')).toEqual(['alone']);
  });

  it('to a subordinate is its principal too, and the other way round', () => {
    expect(near('log')).toEqual(['db', 'log', 'site']);
    expect(near('db')).toEqual(['db', 'log', 'site']);
  });

  it('to a line are its ends', () => {
    expect(near('site front')).toEqual(['front', 'site']);
    expect(near('db log')).toEqual(['db', 'log', 'site']);
  });
});

describe('lines of the picture', () => {
  it('all have a way, those of what hangs at a box too', () => {
    const all = [application('site'), application('front'), application('log', true), application('db')];
    const shape = shapeOf(all, [beside('log', 'site'), relation('front', 'site'), relation('log', 'db')]);
    for (const window of [{ width: 1200, height: 500 }, { width: 340, height: 500 }]) {
      const { routes, drawing } = relatedDrawing(shape, boxSize(4), window);
      expect([...routes.keys()].sort()).toEqual(['db log', 'site front']);
      const log = drawing.places.get('log');
      const ends = routes.get('db log')?.corners.flatMap(({ x, y }) => (x >= (log?.x ?? 0) && y === (log?.y ?? 0) + TAB.height / 2 ? [x] : []));
      expect(ends).toHaveLength(1);
    }
  });
});
