// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import EngineGraph from './EngineGraph';
import { axisTextWidth } from './scale';
import { ConfigForm, FiguresChart, HookChart, LogTable, Name, StatusTimeline } from './index';
import Topology from './Topology';
import type { ApplicationConfig, HookRun, LogRecord, TopologyApplication } from './types';
import { timeText, zoneText } from './time';

const NOW = 1_800_000_000_000_000;

beforeAll(() => {
  // What the graph library asks of a browser and jsdom has not.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
});

afterEach(cleanup);

function application(name: string, status: string): TopologyApplication {
  return { name, status, message: '', units: 2, unitStatuses: ['active', status], charm: 'local:site-0', subordinate: false };
}

describe('Topology', () => {
  const applications = [application('site', 'active'), application('front', 'blocked')];
  const relations = [
    {
      id: 1,
      interface: 'http',
      scope: 'global',
      status: { status: 'joined' as const },
      endpoints: [
        { application: 'front', name: 'website', role: 'requirer' },
        { application: 'site', name: 'website', role: 'provider' },
      ],
    },
  ];

  it('names each application with its status, and opens it', () => {
    const onOpen = vi.fn();
    render(<Topology applications={applications} relations={relations} onOpen={onOpen} />);
    fireEvent.click(screen.getByRole('button', { name: /^front, blocked, 2 units: 1 blocked, 1 active$/, hidden: true }));
    expect(onOpen).toHaveBeenCalledExactlyOnceWith('front');
    expect(screen.getByText(/2 applications \(1 blocked, 1 active\), 1 relation$/)).toBeTruthy();
  });

  it('hangs a subordinate below each of its principals and says how their relation is', () => {
    const shipper = { ...application('shipper', 'active'), subordinate: true };
    const beside = (id: number, principal: string, status: 'joined' | 'suspended') => ({
      id,
      interface: 'juju-info',
      scope: 'container',
      status: { status },
      endpoints: [
        { application: 'shipper', name: 'logs', role: 'requirer' },
        { application: principal, name: 'juju-info', role: 'provider' },
      ],
    });
    const onOpen = vi.fn();
    render(
      <Topology
        applications={[...applications, shipper]}
        relations={[...relations, beside(2, 'site', 'joined'), beside(3, 'front', 'suspended')]}
        onOpen={onOpen}
      />,
    );
    const places = screen.getAllByRole('button', { name: /^shipper/, hidden: true });
    expect(places.map((each) => each.textContent)).toEqual([
      'shipper, beside front, active, relation suspendedsuspended',
      'shipper, beside site, active',
    ]);
    fireEvent.click(places[1] as HTMLElement);
    expect(onOpen).toHaveBeenCalledExactlyOnceWith('shipper');
    expect(screen.getByRole('list', { name: 'Legend' }).textContent).toContain('subordinates');
  });

  it('says the same as a list', () => {
    const onOpen = vi.fn();
    render(<Topology applications={applications} relations={relations} onOpen={onOpen} hrefOf={(name) => `/a/${name}`} />);
    fireEvent.click(screen.getByRole('button', { name: 'List' }));
    const [first] = screen.getAllByRole('listitem');
    expect(first?.textContent).toContain('front:website – site:website (http)');
    const link = screen.getByRole('link', { name: 'site' });
    expect(link.getAttribute('href')).toBe('/a/site');
    fireEvent.click(link);
    expect(onOpen).toHaveBeenCalledExactlyOnceWith('site');
  });

  it('tells what only stands beside what matches from what matches', () => {
    const beside = [application('site', 'active'), { ...application('front', 'blocked'), neighbour: true }];
    render(<Topology applications={beside} relations={relations} onOpen={() => {}} />);
    expect(screen.getByText(/^1 application \(1 active\), 1 relation$/)).toBeTruthy();
    const front = screen.getByRole('button', { name: /^front, related to what matches, blocked/, hidden: true });
    expect(front.className).toContain('is-neighbour');
    fireEvent.click(screen.getByRole('button', { name: 'List' }));
    const rows = screen.getAllByRole('listitem').map((each) => each.textContent);
    expect(rows[0]).toContain('site');
    expect(rows[0]).not.toContain('related to what matches');
    expect(rows[1]).toContain('related to what matches');
  });

  it('leads from a relation in the list to its page', () => {
    const opened = vi.fn();
    const links = { hrefOf: () => '/relations/1', onOpen: opened };
    render(<Topology applications={applications} relations={relations} onOpen={() => {}} relationLinks={links} />);
    fireEvent.click(screen.getByRole('button', { name: 'List' }));
    const [first] = screen.getAllByRole('link', { name: 'front:website – site:website (http)' });
    expect(first?.getAttribute('href')).toBe('/relations/1');
    fireEvent.click(first as HTMLElement);
    expect(opened).toHaveBeenCalledExactlyOnceWith(relations);
  });

  it('says so when there is nothing', () => {
    render(<Topology applications={[]} relations={[]} onOpen={() => {}} />);
    expect(screen.getByText(/No applications/)).toBeTruthy();
  });
});

describe('EngineGraph', () => {
  it('filters, and shows what a worker needs', () => {
    const onSelect = vi.fn();
    render(
      <EngineGraph
        nodes={[
          { name: 'agent', state: 'started', inputs: [], 'start-count': 1 },
          { name: 'uniter', state: 'error', inputs: ['agent'], error: 'refused' },
        ]}
        onSelect={onSelect}
      />,
    );
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'refused' } });
    expect(screen.getByText('1 of 2 match')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'uniter, error, refused', hidden: true }));
    expect(onSelect).toHaveBeenCalledWith('uniter');
    expect(screen.getByText('Needed by').nextSibling?.textContent).toBe('nothing');
    expect(screen.getByText('Needs').nextSibling?.textContent).toBe('agent');
  });
});

describe('HookChart', () => {
  const run = (id: number, result: string): HookRun => ({
    id,
    unit: 'site/0',
    application: 'site',
    hook: id === 1 ? 'install' : 'start',
    charm: 'local:site-0',
    'started-at': timeText(NOW - (10 - id) * 60_000_000),
    duration: id * 4000,
    result,
    code: result === 'ok' ? '' : 'trap',
    message: result === 'ok' ? '' : 'unreachable',
    effects: result === 'ok' ? ['opened 80/tcp'] : [],
  });

  it('is read and chosen from with the keyboard', () => {
    const onSelect = vi.fn();
    render(<HookChart runs={[run(2, 'failed'), run(1, 'ok')]} onSelect={onSelect} now={NOW} />);
    const chart = screen.getByRole('listbox');
    fireEvent.focus(chart);
    fireEvent.keyDown(chart, { key: 'Enter' });
    expect(onSelect).toHaveBeenLastCalledWith(2);
    expect(screen.getByText('unreachable')).toBeTruthy();
    fireEvent.keyDown(chart, { key: 'ArrowLeft' });
    fireEvent.keyDown(chart, { key: 'Enter' });
    expect(screen.getByText('opened 80/tcp')).toBeTruthy();
    expect(screen.getByRole('option', { selected: true }).getAttribute('aria-label')).toMatch(/^install, ok, 4\.00 ms/);
    fireEvent.keyDown(chart, { key: 'Escape' });
    expect(onSelect).toHaveBeenLastCalledWith(null);
  });

  it('says why a failed hook has effects at all', () => {
    const failed = { ...run(2, 'failed'), effects: ['status to maintenance'] };
    const { rerender } = render(<HookChart runs={[failed]} selected={2} now={NOW} />);
    expect(screen.getByText('These took effect at once; everything else was undone.')).toBeTruthy();
    rerender(<HookChart runs={[run(2, 'ok')]} selected={2} now={NOW} />);
    expect(screen.queryByText(/took effect at once/)).toBeNull();
  });

  it('gives the durations at its rows the room that they need', () => {
    const { container } = render(<HookChart runs={[{ ...run(1, 'ok'), duration: 90_000_000 }, run(2, 'ok')]} now={NOW} />);
    const rows = [...container.querySelectorAll('.chart-axis-text[text-anchor=end]')];
    expect(rows.map((row) => row.textContent)).toContain('1 min 40 s');
    for (const row of rows) expect(Number(row.getAttribute('x'))).toBeGreaterThanOrEqual(axisTextWidth(row.textContent ?? ''));
  });
});

describe('the zone of times', () => {
  const axis = (container: HTMLElement): string[] =>
    [...container.querySelectorAll('.chart-axis-text')].map((each) => each.textContent ?? '');
  const ran = { id: 1, unit: 'site/0', application: 'site', hook: 'start', charm: 'local:site-0', 'started-at': timeText(NOW), duration: 1, result: 'ok', code: '', message: '', effects: [] };
  const zone = zoneText(NOW);

  it('stands at the axis of each chart over time', () => {
    const points = [0, 1].map((value) => ({ time: NOW + value * 60_000_000, value }));
    const entries = [{ id: 1, time: timeText(NOW - 60_000_000), kind: 'workload', status: 'active', message: '' }];
    for (const chart of [
      <FiguresChart title="Rate" series={[{ name: 'rate', points }]} />,
      <StatusTimeline entries={entries} now={NOW} />,
      <HookChart runs={[ran]} now={NOW} />,
    ]) {
      const { container, unmount } = render(chart);
      expect(axis(container).filter((text) => text === zone)).toHaveLength(1);
      unmount();
    }
  });

  it('is no part of hooks in sequence', () => {
    const { container } = render(<HookChart runs={[ran]} now={NOW} />);
    fireEvent.click(screen.getByRole('button', { name: 'In sequence' }));
    expect(axis(container)).not.toContain(zone);
  });

  it('is said of what is read out', () => {
    render(<HookChart runs={[ran]} now={NOW} />);
    expect(screen.getByRole('option').getAttribute('aria-label')?.endsWith(` ${zone}`)).toBe(true);
  });
});

describe('StatusTimeline', () => {
  it('lists the newest first and more when asked', () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({
      id: index,
      time: timeText(NOW - (5 - index) * 60_000_000),
      kind: 'workload',
      status: index === 4 ? 'active' : 'waiting',
      message: `step ${index}`,
    }));
    render(<StatusTimeline entries={entries} now={NOW} limit={2} />);
    const list = screen.getByRole('list', { name: /newest first/ });
    expect(within(list).getAllByRole('listitem')[0]?.textContent).toMatch(/1 min ago.*active: step 4.*current/);
    expect(within(list).getAllByRole('listitem')).toHaveLength(2);
    fireEvent.click(screen.getByRole('button', { name: 'Show all 5' }));
    expect(within(list).getAllByRole('listitem')).toHaveLength(5);
  });
});

describe('FiguresChart', () => {
  it('reads out one moment', () => {
    const points = [1, 2, 3].map((value, index) => ({ time: NOW + index * 10_000_000, value }));
    render(<FiguresChart title="Rate" series={[{ name: 'rate', points }]} format={(value) => `${value}/s`} />);
    const slider = screen.getByRole('slider');
    expect(slider.getAttribute('aria-valuetext')).toMatch(/: 3\/s$/);
    fireEvent.keyDown(slider, { key: 'Home' });
    expect(slider.getAttribute('aria-valuetext')).toMatch(/: 1\/s$/);
  });
});

describe('ConfigForm', () => {
  const config: ApplicationConfig = {
    application: 'site',
    charm: 'local:site-0',
    schema: { options: { port: { type: 'int', default: 80 }, tls: { type: 'boolean', default: false } } },
    settings: { port: 8080 },
    effective: { port: 8080, tls: false },
  };

  it('shows what changes before it applies', async () => {
    const onApply = vi.fn(() => Promise.resolve());
    render(<ConfigForm config={config} onApply={onApply} />);
    fireEvent.change(screen.getByLabelText('tls'), { target: { value: 'true' } });
    fireEvent.click(screen.getByRole('button', { name: 'Reset to default: port' }));
    fireEvent.click(screen.getByRole('button', { name: 'Review 2 changes' }));
    expect(onApply).not.toHaveBeenCalled();
    expect(screen.getAllByRole('insertion').map((each) => each.textContent)).toEqual(['after: 80', 'after: true']);
    fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
    expect(onApply).toHaveBeenCalledExactlyOnceWith({ set: { tls: true }, reset: ['port'] });
    await waitFor(() => expect(screen.getByRole('form')).toBeTruthy());
  });

  it('says beside the field what is wrong, and applies nothing', () => {
    const onApply = vi.fn();
    render(<ConfigForm config={config} onApply={onApply} />);
    const port = screen.getByLabelText('port');
    fireEvent.change(port, { target: { value: 'many' } });
    expect(port.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('“many” is not a whole number.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Review changes' }));
    expect(document.activeElement).toBe(port);
    expect(screen.getByText(/1 option needs another value: port/)).toBeTruthy();
    expect(onApply).not.toHaveBeenCalled();
  });

  it('keeps the edits when the server refuses', async () => {
    render(<ConfigForm config={config} onApply={() => Promise.reject(new Error('the charm refuses'))} />);
    fireEvent.change(screen.getByLabelText('port'), { target: { value: '443' } });
    fireEvent.click(screen.getByRole('button', { name: 'Review 1 change' }));
    fireEvent.click(screen.getByRole('button', { name: 'Apply' }));
    expect((await screen.findByRole('alert')).textContent).toBe('the charm refuses');
    fireEvent.click(screen.getByRole('button', { name: 'Back' }));
    expect((screen.getByLabelText('port') as HTMLInputElement).value).toBe('443');
  });
});

describe('LogTable', () => {
  const records = Array.from(
    { length: 10_000 },
    (_, index): LogRecord => ({ time: timeText(NOW + index), entity: 'unit-site-0', level: 'INFO', module: 'unit', message: `line ${index}` }),
  );

  it('draws a window of ten thousand lines, at the end', () => {
    render(<LogTable records={records} />);
    const rows = screen.getAllByRole('row');
    expect(rows.length).toBeLessThan(80);
    expect(rows.at(-1)?.getAttribute('aria-rowindex')).toBe('10000');
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10000');
    expect(screen.getByRole('button', { name: 'Following' })).toBeTruthy();
  });

  it('counts what comes while it does not follow', () => {
    const onFollowChange = vi.fn();
    const { rerender } = render(<LogTable records={records.slice(0, 100)} onFollowChange={onFollowChange} />);
    fireEvent.click(screen.getByRole('button', { name: 'Following' }));
    expect(onFollowChange).toHaveBeenLastCalledWith(false);
    rerender(<LogTable records={records.slice(0, 103)} onFollowChange={onFollowChange} />);
    expect(screen.getByRole('button', { name: 'Follow (3 new)' })).toBeTruthy();
  });

  it('narrows to an entity when asked, and marks what is looked for', () => {
    const onEntity = vi.fn();
    render(<LogTable records={records.slice(0, 1)} onEntity={onEntity} highlight="LINE" />);
    fireEvent.click(screen.getByRole('button', { name: 'site/0' }));
    expect(onEntity).toHaveBeenCalledExactlyOnceWith('unit-site-0');
    expect(document.querySelector('mark')?.textContent).toBe('line');
  });

  it('keeps the number of a name that has no room', () => {
    const { container } = render(<Name text="a-long-name-of-an-application/12" />);
    expect(container.querySelector('.name-end')?.textContent).toBe('/12');
    expect(container.querySelector('.name-whole')?.textContent).toBe('a-long-name-of-an-application/12');
    const { container: plain } = render(<Name text="site" />);
    expect(plain.querySelector('.name-start')?.textContent).toBe('site');
  });

  it('is drawn for a phone there though it began without lines', () => {
    class Phone {
      constructor(private readonly tell: (entries: object[]) => void) {}
      observe() {
        this.tell([{ contentRect: { width: 320, height: 400 } }]);
      }
      disconnect() {}
    }
    vi.stubGlobal('ResizeObserver', Phone);
    const { rerender } = render(<LogTable records={[]} />);
    rerender(<LogTable records={records.slice(0, 1)} />);
    expect(document.querySelector('.log-scroll')?.className).toContain('is-narrow');
    vi.unstubAllGlobals();
  });
});
