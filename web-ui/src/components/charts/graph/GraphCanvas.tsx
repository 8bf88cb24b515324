import '@xyflow/react/dist/base.css';
import '../charts.css';
import './graph.css';
import {
  Background,
  BaseEdge,
  Handle,
  MiniMap,
  Position,
  ReactFlow,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
  type ReactFlowInstance,
  type Viewport,
} from '@xyflow/react';
import { memo, useEffect, useMemo, useRef, useState, type FocusEvent, type KeyboardEvent, type ReactNode } from 'react';

import type { Tone } from '../status';
import { useSize } from '../useSize';
import { firstView, type Direction, type Place } from './layout';
import { pathOf, type Picture } from './routes';

/** A box of the graph: its size, the tone of its dot on the map, and what is written in it. */
export interface GraphBox {
  id: string;
  width: number;
  height: number;
  tone: Tone;
  content: ReactNode;
}

export interface GraphLink {
  id: string;
  source: string;
  target: string;
  /** Written beside the line. */
  label?: string | undefined;
  /** For screen readers; without it the line is left to the list. */
  name?: string | undefined;
  /** Extra class: `is-dashed`, `is-faint`, `is-strong`, or how a relation is. */
  className?: string | undefined;
  /** Whether Tab comes to it; it needs a name and `onLine`. */
  focusable?: boolean | undefined;
}

interface Props {
  boxes: GraphBox[];
  links: GraphLink[];
  /** The picture for a window of this size. */
  draw: (window: { width: number; height: number }) => Picture;
  label: string;
  /** Boxes that stand back, because others are pointed at. */
  faint?: ReadonlySet<string> | undefined;
  /** Frames behind the boxes, for a window of this width; placed by `draw` too. */
  backdrop?: ((width: number) => GraphBox[]) | undefined;
  /** A line was chosen. */
  onLine?: ((id: string) => void) | undefined;
  /** The pointer or the focus came to a line, or left it. */
  onPoint?: ((id: string | null) => void) | undefined;
  /** What is drawn: where somebody moved in it is kept under this name. */
  place?: string | undefined;
}

/** Where somebody moved in a picture, until the page is loaded anew. */
const VIEWS = new Map<string, Viewport>();

const STEP = 48;

function inSteps(length: number): number {
  return Math.max(STEP, Math.floor(length / STEP) * STEP);
}

type BoxNode = Node<{ content: ReactNode; direction: Direction; tone: Tone }, 'box'>;

const BoxView = memo(function BoxView({ data }: NodeProps<BoxNode>) {
  const [into, outOf] =
    data.direction === 'LR' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom];
  return (
    <>
      <Handle type="target" position={into} isConnectable={false} className="graph-handle" />
      {data.content}
      <Handle type="source" position={outOf} isConnectable={false} className="graph-handle" />
    </>
  );
});

type LineEdge = Edge<{ path: string; at: Place }, 'line'>;

const LineView = memo(function LineView({ data, label, interactionWidth }: EdgeProps<LineEdge>) {
  if (!data) return null;
  return <BaseEdge path={data.path} label={label} labelX={data.at.x} labelY={data.at.y} {...(interactionWidth && { interactionWidth })} />;
});

const NODE_TYPES = { box: BoxView };
const EDGE_TYPES = { line: LineView };
const MAP_FROM = 20;
/** The library reads null as "none", and anything else that is empty as "make one up". */
const NO_NAME = null as unknown as string;

/** Pan, zoom, fit and, for many boxes, a map. What the boxes and lines mean is the caller's. */
export function GraphCanvas({ boxes, links, draw, label, faint, backdrop, onLine, onPoint, place }: Props) {
  const [frame, size] = useSize<HTMLDivElement>({ width: 800, height: 480 });
  const flow = useRef<ReactFlowInstance<BoxNode, Edge> | null>(null);
  const moved = useRef(false);
  const [map, setMap] = useState(true);
  const mapped = boxes.length > MAP_FROM && size.width >= 600;

  // In steps: a window being dragged larger does not lay out everything at every pixel.
  const [width, height] = [inSteps(size.width), inSteps(size.height)];
  const { drawing, direction, routes } = useMemo(() => draw({ width, height }), [draw, width, height]);

  const plain = useMemo(() => {
    const node = (box: GraphBox, behind: boolean): BoxNode => ({
      id: box.id,
      type: 'box',
      position: drawing.places.get(box.id) ?? { x: 0, y: 0 },
      width: box.width,
      height: box.height,
      zIndex: behind ? -1 : 1,
      data: { content: box.content, direction, tone: box.tone },
      domAttributes: { 'aria-roledescription': undefined },
      className: behind ? 'graph-backdrop' : '',
    });
    return [...(backdrop?.(width) ?? []).map((box) => node(box, true)), ...boxes.map((box) => node(box, false))];
  }, [backdrop, boxes, drawing, direction, width]);
  // The others stay the same objects, so that pointing draws anew only what changes.
  const nodes = useMemo(
    () => (faint?.size ? plain.map((each) => (faint.has(each.id) ? { ...each, className: 'is-faint' } : each)) : plain),
    [plain, faint],
  );

  const edges = useMemo(
    () =>
      links.map((link): Edge => {
        const route = routes?.get(link.id);
        const opens = link.focusable && link.name !== undefined;
        return {
          id: link.id,
          source: link.source,
          target: link.target,
          label: link.label,
          className: `graph-link ${link.className ?? ''}`,
          ...(route && { type: 'line', data: { path: pathOf(route, direction), at: route.label } }),
          ...(opens && { focusable: true }),
          ariaRole: opens ? 'link' : link.name ? 'img' : 'presentation',
          ariaLabel: link.name ?? NO_NAME,
          domAttributes: { 'aria-roledescription': undefined, 'aria-describedby': undefined },
        };
      }),
    [links, routes, direction],
  );

  const start = useRef(firstView(drawing, size));
  const placed = useRef<string | undefined>(undefined);
  useEffect(() => {
    const kept = place === undefined ? undefined : VIEWS.get(place);
    const other = placed.current !== place;
    placed.current = place;
    // In another picture nobody has moved yet, or somebody did before they left it.
    if (other) moved.current = kept !== undefined;
    start.current = kept ?? firstView(drawing, size);
    if (other || !moved.current) void flow.current?.setViewport(start.current);
  }, [drawing, size, place]);

  const keep = (view: Viewport) => {
    if (place !== undefined && moved.current) VIEWS.set(place, view);
  };

  const fit = () => {
    moved.current = false;
    if (place !== undefined) VIEWS.delete(place);
    void flow.current?.fitView({ padding: 0.05, maxZoom: 1, duration: 200 });
  };

  const lineOf = (target: EventTarget): string | null =>
    target instanceof Element && target.matches('.react-flow__edge') ? target.getAttribute('data-id') : null;

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const line = lineOf(event.target);
    if (line === null || !onLine || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    onLine(line);
  };

  const bringIntoView = (event: FocusEvent<HTMLElement>) => {
    const id = event.target.closest('.react-flow__node')?.getAttribute('data-id');
    const box = boxes.find((candidate) => candidate.id === id);
    const at = id ? drawing.places.get(id) : undefined;
    if (!flow.current || !box || !at || !event.target.matches(':focus-visible')) return;
    const { x, y, zoom } = flow.current.getViewport();
    const [left, top] = [at.x * zoom + x, at.y * zoom + y];
    const seen =
      left >= 0 && top >= 0 && left + box.width * zoom <= size.width && top + box.height * zoom <= size.height;
    if (seen) return;
    moved.current = true;
    void flow.current.setCenter(at.x + box.width / 2, at.y + box.height / 2, { zoom, duration: 200 });
  };

  return (
    <div className="graph">
      <div
        className={`graph-canvas ${onLine ? 'has-lines' : ''}`}
        ref={frame}
        onFocus={(event) => {
          bringIntoView(event);
          const line = lineOf(event.target);
          if (line !== null) onPoint?.(line);
        }}
        onBlur={(event) => {
          if (lineOf(event.target) !== null) onPoint?.(null);
        }}
        onKeyDown={onKeyDown}
      >
        <ReactFlow<BoxNode, Edge>
          aria-label={label}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          defaultViewport={firstView(drawing, size)}
          onInit={(instance) => {
            flow.current = instance;
            // The size was not known when the picture was first drawn.
            void instance.setViewport(start.current);
          }}
          onMoveStart={(event) => {
            if (event) moved.current = true;
          }}
          onMoveEnd={(_, view) => keep(view)}
          {...(onLine && { onEdgeClick: (_: unknown, edge: Edge) => onLine(edge.id) })}
          {...(onPoint && {
            onEdgeMouseEnter: (_: unknown, edge: Edge) => onPoint(edge.id),
            onEdgeMouseLeave: () => onPoint(null),
          })}
          minZoom={0.15}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          panActivationKeyCode={null}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={24} />
          {mapped && map ? (
            <MiniMap<BoxNode>
              pannable
              zoomable
              ariaLabel="Map of the whole picture"
              nodeClassName={(node) => (node.zIndex === -1 ? 'graph-map-backdrop' : `chart-tone-${node.data.tone}`)}
            />
          ) : null}
        </ReactFlow>
      </div>
      <div className="graph-controls" role="group" aria-label="View">
        <button type="button" className="chart-button" onClick={() => zoom(flow.current, 'in')} aria-label="Zoom in">
          +
        </button>
        <button type="button" className="chart-button" onClick={() => zoom(flow.current, 'out')} aria-label="Zoom out">
          −
        </button>
        <button type="button" className="chart-button" onClick={fit} aria-label="Fit all in view">
          Fit
        </button>
        {mapped ? (
          <button type="button" className="chart-button" aria-pressed={map} onClick={() => setMap(!map)}>
            Map
          </button>
        ) : null}
        <span className="graph-hint">Hold Ctrl or ⌘ and scroll to zoom</span>
      </div>
    </div>
  );

  function zoom(instance: ReactFlowInstance<BoxNode, Edge> | null, way: 'in' | 'out') {
    moved.current = true;
    void (way === 'in' ? instance?.zoomIn({ duration: 150 }) : instance?.zoomOut({ duration: 150 }));
  }
}
