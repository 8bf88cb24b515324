import { useCallback, useMemo, useState, type MouseEvent } from 'react';

import { GraphCanvas, type GraphBox, type GraphLink } from './graph/GraphCanvas';
import { countStatuses, lookOf } from './status';
import { StatusMark, StatusShape } from './StatusMark';
import {
  boxSize,
  COMPACT_FROM,
  groupedDrawing,
  LABELS_UP_TO,
  lineName,
  relatedDrawing,
  relationsOf,
  relationText,
  TAB,
} from './topologyDrawing';
import { Key, TabContent, tabSpoken } from './TopologyParts';
import { lineLabel, nearTo, shapeOf, worstLook, type Attachment, type Shape } from './topologyLines';
import { PLAN_MARKS, type RelationInfo, type TopologyApplication } from './types';

export interface TopologyProps {
  applications: TopologyApplication[];
  relations: RelationInfo[];
  onOpen: (name: string) => void;
  /** Address of an application's page: makes the boxes links. */
  hrefOf?: ((name: string) => string) | undefined;
  /** Makes lines, and relations in the list, lead to pages of relations. */
  relationLinks?: RelationLinks | undefined;
  label?: string | undefined;
  /** What is drawn: the part of the picture that somebody moved to is shown again when they return. */
  place?: string | undefined;
}

export interface RelationLinks {
  /** Address of the page of one relation, or of several between the same applications. */
  hrefOf: (relations: readonly RelationInfo[]) => string;
  onOpen: (relations: readonly RelationInfo[]) => void;
}

const UNIT_MARKS = 6;

/** Where what a picture says would be too small to read. */
const isPhone = (): boolean => globalThis.matchMedia?.('(width < 600px)').matches ?? false;

function markClass({ mark, neighbour }: TopologyApplication): string {
  return `${mark ? `graph-marked is-${mark}` : ''} ${neighbour ? 'is-neighbour' : ''}`;
}

function unitsText(count: number): string {
  return `${count} ${count === 1 ? 'unit' : 'units'}`;
}

/** What a screen reader says of a box after its name. */
function spokenOf(application: TopologyApplication): string {
  const units = application.unitStatuses.length > 0 ? `: ${countStatuses(application.unitStatuses)}` : '';
  const message = application.message ? `, ${application.message}` : '';
  const kind = application.subordinate ? ', subordinate' : '';
  const mark = application.mark ? `, ${PLAN_MARKS[application.mark]}` : '';
  const beside = application.neighbour ? ', related to what matches' : '';
  return `${mark}${beside}, ${application.status || 'unset'}${message}${kind}, ${unitsText(application.units)}${units}`;
}

/** Applications and relations of a model: a picture, or the same as a list. */
export default function Topology(props: TopologyProps) {
  const { applications, relations, onOpen, hrefOf, relationLinks, label, place } = props;
  const [view, setView] = useState<'picture' | 'list'>(() => (isPhone() ? 'list' : 'picture'));
  /** The box or line under the pointer or in focus: what is not related to it stands back. */
  const [pointed, setPointed] = useState<string | null>(null);
  const compact = applications.length > COMPACT_FROM;
  const size = boxSize(applications.length);
  const shape = useMemo(() => shapeOf(applications, relations), [applications, relations]);
  const { lines, attached } = shape;
  const related = lines.length + attached.length > 0;
  const opensLines = relationLinks !== undefined;

  // Boxes move only when an application or a relation comes or goes, or, without relations, when
  // one changes group; a new message leaves all in place.
  const signature = useMemo(() => {
    const names = applications.map((each) => (related ? each.name : `${each.name} ${lookOf(each.status).tone}`));
    return JSON.stringify([names.sort(), lines.map(({ id }) => id).sort(), attached.map(({ id }) => id), size]);
  }, [applications, lines, attached, related, size]);

  const draw = useCallback(
    (window: { width: number; height: number }) => {
      if (!related) return { drawing: groupedDrawing(applications, window.width).drawing, direction: 'LR' as const };
      return relatedDrawing(shape, size, window);
    },
    // The signature stands for all that is read here.
    [signature],
  );

  const open = useCallback(
    (event: MouseEvent, name: string) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onOpen(name);
    },
    [onOpen],
  );

  const boxes = useMemo(
    () =>
      placesOf(applications, shape, related).map(({ id, application, attachment }): GraphBox => {
        const { tone } = lookOf(application.status);
        const { name, subordinate } = application;
        const look = attachment ? `graph-tab is-${worstLook(attachment.relations)}` : '';
        const shared = {
          className: `graph-box chart-tone-${tone} ${look} ${subordinate && !attachment ? 'is-dashed' : ''} ${markClass(application)}`,
          title: attachment ? tabSpoken(application, attachment) : application.message || undefined,
          onClick: (event: MouseEvent) => open(event, name),
          onMouseEnter: () => setPointed(id),
          onMouseLeave: () => setPointed(null),
          onFocus: () => setPointed(id),
          onBlur: () => setPointed(null),
        };
        const content = attachment ? (
          <TabContent application={application} attachment={attachment} />
        ) : (
          <BoxContent application={application} compact={compact} />
        );
        return {
          id,
          width: attachment ? size.width - TAB.inset : size.width,
          height: attachment ? TAB.height : size.height,
          tone,
          content: hrefOf ? (
            <a {...shared} href={hrefOf(name)} draggable={false}>
              {content}
            </a>
          ) : (
            <button {...shared} type="button">
              {content}
            </button>
          ),
        };
      }),
    // The size follows from the applications.
    [applications, shape, related, compact, hrefOf, open],
  );

  const links = useMemo(
    () =>
      lines.map((line): GraphLink => {
        const look = worstLook(line.relations);
        const stopped = look === 'suspended' || look === 'broken';
        const near = [line.id, line.source, line.target].includes(pointed ?? '');
        const stress = pointed === null ? '' : near ? 'is-strong' : 'is-faint';
        return {
          id: line.id,
          source: line.source,
          target: line.target,
          label: lines.length <= LABELS_UP_TO || near || stopped ? lineLabel(line.relations) : undefined,
          name: lineName(line.relations),
          className: `${stress} is-${look}`,
          // Of more lines each would be a stop of Tab before the first box; the list has them all.
          focusable: lines.length <= LABELS_UP_TO && opensLines,
        };
      }),
    [lines, pointed, opensLines],
  );
  const faint = useMemo(() => {
    if (pointed === null || !related) return undefined;
    const near = nearTo(shape, pointed);
    return new Set(boxes.flatMap(({ id }) => (near.has(id) ? [] : [id])));
  }, [pointed, related, shape, boxes]);
  const openLine = (id: string) => {
    const line = lines.find((each) => each.id === id);
    if (line) relationLinks?.onOpen(line.relations);
  };

  const backdrop = useMemo(() => {
    if (related) return undefined;
    return (width: number) =>
      groupedDrawing(applications, width).frames.map(
        (frame): GraphBox => ({
          id: frame.id,
          width: frame.width,
          height: frame.height,
          tone: 'neutral',
          content: (
            <div className="graph-frame">
              {frame.title} ({frame.members.length})
            </div>
          ),
        }),
      );
  }, [applications, related]);

  const fitting = applications.filter(({ neighbour }) => !neighbour);
  if (applications.length === 0) return <p className="chart-empty">No applications in this model yet.</p>;

  return (
    <section className="chart topology" aria-label={label ?? 'Topology'}>
      <div className="chart-bar">
        <p className="chart-summary">
          {fitting.length} {fitting.length === 1 ? 'application' : 'applications'} (
          {countStatuses(fitting.map((each) => each.status || 'unset'))}),{' '}
          {relations.length} {relations.length === 1 ? 'relation' : 'relations'}
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
      {view === 'picture' && related ? <Key attached={attached.length > 0} /> : null}
      {view === 'picture' ? (
        <GraphCanvas
          boxes={boxes}
          links={links}
          draw={draw}
          backdrop={backdrop}
          faint={faint}
          onLine={relationLinks ? openLine : undefined}
          onPoint={setPointed}
          place={place}
          label="Graph of applications and relations. Choose List for a text version."
        />
      ) : (
        <ul className="graph-list">
          {[...applications]
            .sort(
              (a, b) =>
                Number(a.neighbour ?? false) - Number(b.neighbour ?? false) ||
                a.name.localeCompare(b.name, undefined, { numeric: true }),
            )
            .map((application) => (
              <TopologyRow
                key={application.name}
                application={application}
                relations={relationsOf(application.name, relations)}
                links={relationLinks}
                href={hrefOf?.(application.name)}
                onOpen={open}
              />
            ))}
        </ul>
      )}
    </section>
  );
}

/** What is drawn for each application: a box, a place beside each principal, or both. */
function placesOf(
  applications: TopologyApplication[],
  shape: Shape,
  related: boolean,
): { id: string; application: TopologyApplication; attachment?: Attachment }[] {
  const own = new Set(shape.boxes);
  return applications.flatMap((application) => [
    ...(!related || own.has(application.name) ? [{ id: application.name, application }] : []),
    ...shape.attached
      .filter(({ subordinate }) => subordinate === application.name)
      .map((attachment) => ({ id: attachment.id, application, attachment })),
  ]);
}

function BoxContent({ application, compact }: { application: TopologyApplication; compact: boolean }) {
  const { name, status, message, units, unitStatuses, charm } = application;
  const marks = unitStatuses.slice(0, UNIT_MARKS);
  return (
    <>
      <span className="graph-box-line">
        <StatusShape status={status} size={16} />
        <span className="graph-box-name">{name}</span>
        <span className="chart-unseen">{spokenOf(application)}</span>
        {application.mark ? (
          <span className="graph-mark" aria-hidden="true">
            {PLAN_MARKS[application.mark]}
          </span>
        ) : null}
        {compact ? (
          <span className="graph-box-text" aria-hidden="true">
            {units}
          </span>
        ) : null}
      </span>
      <span className="graph-box-text" aria-hidden="true">
        {status || 'unset'}
        {message ? `: ${message}` : ''}
      </span>
      {compact ? null : (
        <span className="graph-box-line" aria-hidden="true">
          <span className="graph-box-text graph-box-charm">{charm}</span>
          <span className="graph-box-units">
            {marks.map((each, index) => (
              <StatusShape key={index} status={each} size={10} />
            ))}
            <span className="graph-box-text">
              {units > marks.length && marks.length > 0 ? `+${units - marks.length}` : ''}
              {marks.length === 0 ? unitsText(units) : ''}
            </span>
          </span>
        </span>
      )}
    </>
  );
}

function TopologyRow(props: {
  application: TopologyApplication;
  relations: RelationInfo[];
  links: RelationLinks | undefined;
  href: string | undefined;
  onOpen: (event: MouseEvent, name: string) => void;
}) {
  const { application, relations, links, href, onOpen } = props;
  const open = (event: MouseEvent) => onOpen(event, application.name);
  const openRelation = (event: MouseEvent, relation: RelationInfo) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    links?.onOpen([relation]);
  };
  return (
    <li className={application.neighbour ? 'is-neighbour' : undefined}>
      <div className="graph-list-head">
        {href ? (
          <a className="graph-list-open" href={href} onClick={open}>
            {application.name}
          </a>
        ) : (
          <button type="button" className="graph-list-open" onClick={open}>
            {application.name}
          </button>
        )}
        {application.mark ? <span className="graph-mark">{PLAN_MARKS[application.mark]}</span> : null}
        <StatusMark status={application.status} />
        <span>{unitsText(application.units)}</span>
        <span className="chart-muted">{application.charm}</span>
        {application.neighbour ? <span className="chart-muted">related to what matches</span> : null}
      </div>
      {application.message ? <p className="graph-list-more">{application.message}</p> : null}
      {relations.map((relation) => (
        <p key={relation.id} className="graph-list-more chart-muted">
          {links ? (
            <a href={links.hrefOf([relation])} onClick={(event) => openRelation(event, relation)}>
              {relationText(relation)}
            </a>
          ) : (
            relationText(relation)
          )}
        </p>
      ))}
    </li>
  );
}
