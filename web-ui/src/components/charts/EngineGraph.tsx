import { useCallback, useId, useMemo, useState } from 'react';

import {
  countStates,
  dependentsOf,
  filterNodes,
  lookWord,
  nodeText,
  startsText,
} from './engineNodes';
import { GraphCanvas, type GraphBox, type GraphLink } from './graph/GraphCanvas';
import { arrange } from './graph/layout';
import { routesOf } from './graph/routes';
import { lookOf } from './status';
import { StatusShape } from './StatusMark';
import type { EngineNode } from './types';

export interface EngineGraphProps {
  nodes: EngineNode[];
  /** Name of the node whose details are shown; kept here when left out. */
  selected?: string | null | undefined;
  onSelect?: ((name: string | null) => void) | undefined;
  label?: string | undefined;
}

const SIZE = { width: 196, height: 52 };

/** A dependency engine: what runs, what rests, and on what. A picture, or the same as a list. */
export default function EngineGraph({ nodes, selected, onSelect, label }: EngineGraphProps) {
  const [view, setView] = useState<'picture' | 'list'>('picture');
  const [filter, setFilter] = useState('');
  const [own, setOwn] = useState<string | null>(null);
  const filterId = useId();
  const chosen = selected === undefined ? own : selected;

  const choose = useCallback(
    (name: string | null) => {
      setOwn(name);
      onSelect?.(name);
    },
    [onSelect],
  );

  const { shown, matches } = useMemo(() => filterNodes(nodes, filter), [nodes, filter]);
  const chosenNode = nodes.find((node) => node.name === chosen);

  const links = useMemo(() => {
    const known = new Set(shown.map((node) => node.name));
    return shown.flatMap((node) =>
      node.inputs
        .filter((input) => known.has(input))
        .map((input): GraphLink => {
          const waits = node['waits-for'] === input;
          const near = chosen === null || chosen === input || chosen === node.name;
          return {
            id: `${input} ${node.name}`,
            source: input,
            target: node.name,
            className: `${waits ? 'is-dashed' : ''} ${near ? (chosen === null ? '' : 'is-strong') : 'is-faint'}`,
          };
        }),
    );
  }, [shown, chosen]);

  const boxes = useMemo(() => {
    const near = new Set([chosen, ...(chosenNode?.inputs ?? []), ...(chosen ? dependentsOf(chosen, nodes) : [])]);
    return shown.map((node): GraphBox => {
      const { tone } = lookOf(lookWord(node.state));
      const faint = !matches.has(node.name) || (chosenNode !== undefined && !near.has(node.name));
      return {
        id: node.name,
        ...SIZE,
        tone,
        content: (
          <button
            type="button"
            className={`graph-box chart-tone-${tone}${faint ? ' is-faint' : ''}`}
            aria-pressed={node.name === chosen}
            title={node.error ?? undefined}
            onClick={() => choose(node.name === chosen ? null : node.name)}
          >
            <span className="graph-box-line">
              <StatusShape status={lookWord(node.state)} size={16} />
              <span className="graph-box-name">{node.name}</span>
              <span className="chart-unseen">{nodeText(node)}</span>
              {node['start-count'] ? (
                <span className="graph-box-text" aria-hidden="true">
                  ×{node['start-count']}
                </span>
              ) : null}
            </span>
            <span className="graph-box-text" aria-hidden="true">
              {node.state}
              {node['waits-for'] ? ` on ${node['waits-for']}` : ''}
              {node.error ? `: ${node.error}` : ''}
            </span>
          </button>
        ),
      };
    });
  }, [shown, matches, chosen, chosenNode, nodes, choose]);

  // Only names and inputs decide where boxes stand: a state that changes moves nothing.
  const signature = JSON.stringify(shown.map((node) => [node.name, node.inputs]));
  const draw = useCallback(
    (window: { width: number; height: number }) => {
      const drawn = (JSON.parse(signature) as [string, string[]][]).map(([name, inputs]) => ({ name, inputs }));
      const known = new Set(drawn.map((node) => node.name));
      const between = drawn.flatMap((node) =>
        node.inputs
          .filter((input) => known.has(input))
          .map((input) => ({ id: `${input} ${node.name}`, source: input, target: node.name })),
      );
      const sized = drawn.map(({ name }) => ({ id: name, ...SIZE }));
      const { drawing, direction } = arrange(sized, between, window, { directions: ['TB'] });
      return { drawing, direction, routes: routesOf(sized, between, drawing, direction) };
    },
    [signature],
  );

  if (nodes.length === 0) return <p className="chart-empty">This engine has no workers.</p>;

  return (
    <section className="chart engine-graph" aria-label={label ?? 'Dependency engine'}>
      <div className="chart-bar">
        <div className="graph-filter">
          <label htmlFor={filterId} className="chart-unseen">
            Filter workers by name, state or error
          </label>
          <input
            id={filterId}
            type="search"
            value={filter}
            placeholder="Filter workers"
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
        <p className="chart-summary" role="status">
          {filter.trim() ? `${matches.size} of ${nodes.length} match` : `${nodes.length} workers: ${countStates(nodes)}`}
        </p>
        <div className="chart-choice" role="group" aria-label="Show as">
          <button type="button" aria-pressed={view === 'picture'} onClick={() => setView('picture')}>
            Picture
          </button>
          <button type="button" aria-pressed={view === 'list'} onClick={() => setView('list')}>
            List
          </button>
        </div>
      </div>
      {matches.size === 0 ? (
        <p className="chart-empty">No worker has “{filter.trim()}” in its name, state or error.</p>
      ) : view === 'picture' ? (
        <GraphCanvas
          boxes={boxes}
          links={links}
          draw={draw}
          label="Graph of the workers, each below its dependencies. Choose List for a text version."
        />
      ) : (
        <ul className="graph-list">
          {shown
            .filter((node) => matches.has(node.name))
            .map((node) => (
              <li key={node.name}>
                <div className="graph-list-head">
                  <button type="button" className="graph-list-open" onClick={() => choose(node.name)}>
                    {node.name}
                  </button>
                  <NodeState node={node} />
                  {node['start-count'] ? <span className="chart-muted">{startsText(node['start-count'])}</span> : null}
                </div>
                {node.error ? <p className="graph-list-more">{node.error}</p> : null}
                {node.inputs.length > 0 ? (
                  <p className="graph-list-more chart-muted">needs {node.inputs.join(', ')}</p>
                ) : null}
              </li>
            ))}
        </ul>
      )}
      <div aria-live="polite">
        {chosenNode ? (
          <NodeDetails node={chosenNode} dependents={dependentsOf(chosenNode.name, nodes)} onChoose={choose} />
        ) : null}
      </div>
    </section>
  );
}

function NodeState({ node }: { node: EngineNode }) {
  return (
    <span className={`chart-status chart-tone-${lookOf(lookWord(node.state)).tone}`}>
      <StatusShape status={lookWord(node.state)} />
      <span>
        {node.state}
        {node['waits-for'] ? ` on ${node['waits-for']}` : ''}
      </span>
    </span>
  );
}

function NodeDetails(props: { node: EngineNode; dependents: string[]; onChoose: (name: string | null) => void }) {
  const { node, dependents, onChoose } = props;
  const names = (list: string[]) =>
    list.length === 0
      ? 'nothing'
      : list.map((name, index) => (
          <span key={name}>
            {index > 0 ? ', ' : ''}
            <button type="button" className="graph-list-open" onClick={() => onChoose(name)}>
              {name}
            </button>
          </span>
        ));
  return (
    <div className={`chart-details chart-tone-${lookOf(lookWord(node.state)).tone}`}>
      <div className="chart-bar">
        <strong>{node.name}</strong>
        <button type="button" className="chart-button" onClick={() => onChoose(null)}>
          Close
        </button>
      </div>
      <dl className="chart-facts">
        <dt>State</dt>
        <dd>
          <NodeState node={node} />
        </dd>
        <dt>Starts</dt>
        <dd>
          {node['start-count'] ?? 0}
          {node['started-at'] ? `, last ${node['started-at'].replace('T', ' ').slice(0, 19)} UTC` : ''}
        </dd>
        {node.error ? (
          <>
            <dt>{node.state === 'uninstalled' ? 'Reason' : 'Error'}</dt>
            <dd>{node.error}</dd>
          </>
        ) : null}
        <dt>Needs</dt>
        <dd>{names(node.inputs)}</dd>
        <dt>Needed by</dt>
        <dd>{names(dependents)}</dd>
      </dl>
    </div>
  );
}
