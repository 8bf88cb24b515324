import { StatusShape } from './StatusMark';
import { LINE_LOOKS, worstLook, type Attachment } from './topologyLines';
import type { TopologyApplication } from './types';

/** `beside site, active, relation suspended`. */
export function tabSpoken(application: TopologyApplication, { principal, relations }: Attachment): string {
  const look = worstLook(relations);
  const message = application.message ? `: ${application.message}` : '';
  const beside = application.neighbour ? ', related to what matches' : '';
  return `beside ${principal}${beside}, ${application.status || 'unset'}${message}${look === 'joined' ? '' : `, relation ${look}`}`;
}

/** A subordinate in its place at the side of a principal. */
export function TabContent({ application, attachment }: { application: TopologyApplication; attachment: Attachment }) {
  const look = worstLook(attachment.relations);
  return (
    <span className="graph-box-line">
      <StatusShape status={application.status} size={14} />
      <span className="graph-box-name">{application.name}</span>
      <span className="chart-unseen">, {tabSpoken(application, attachment)}</span>
      {look === 'joined' ? null : (
        <span className="graph-box-text" aria-hidden="true">
          {look}
        </span>
      )}
    </span>
  );
}

/** What the lines mean. */
export function Key({ attached }: { attached: boolean }) {
  return (
    <ul className="graph-key" aria-label="Legend">
      {LINE_LOOKS.map((look) => (
        <li key={look}>
          <svg className={`graph-link is-${look}`} width="36" height="10" viewBox="0 0 36 10" aria-hidden="true">
            <path className="react-flow__edge-path" d="M1 5h34" fill="none" />
          </svg>
          {look}
        </li>
      ))}
      {attached ? <li>attached below a box: its subordinates</li> : null}
    </ul>
  );
}
