import { Link } from "react-router";
import { Name, StatusMark } from "../../components/charts";
import { Items } from "../../components/Items";
import { type Concern, concerns, grouped } from "../../lib/attention";
import { toApplication, toIncidents, toMachine, toRelation, toUnit } from "../../lib/to";
import type { ModelEntities } from "../../live/context";

/** So many of a group are named, so many groups are listed; the rest is counted. */
const NAMED = 8;
const LISTED = 12;

/** What waits for a person, units of an application with the same trouble in one line. */
export function Attention({ model, entities }: { model: string; entities: ModelEntities }) {
  const found = concerns(entities.applications, entities.units, entities.machines, entities.relations);
  if (found.length === 0) return null;
  const groups = grouped(found);
  return (
    <section className="attention" aria-label="Needs attention">
      <h2 className="attention__title">Needs attention</h2>
      <ul>
        {groups.slice(0, LISTED).map((group) => (
          <Group key={`${group[0]?.kind} ${group[0]?.name}`} model={model} group={group} />
        ))}
      </ul>
      {groups.length > LISTED && <p className="muted">and {groups.length - LISTED} more</p>}
      <p>
        <Link to={toIncidents(model)}>Incidents: causes, retry, skip and silence</Link>
      </p>
    </section>
  );
}

function Group({ model, group }: { model: string; group: Concern[] }) {
  const [first] = group;
  if (!first) return null;
  const links = group.slice(0, NAMED).map((concern) => ({
    key: concern.name,
    shown: (
      <Link to={address(model, concern)}>
        <Name text={concern.kind === "machine" ? `machine ${concern.name}` : concern.name} />
      </Link>
    ),
  }));
  if (group.length > NAMED) links.push({ key: "", shown: <span>{group.length - NAMED} more</span> });
  return (
    <li>
      <StatusMark status={first.status} />
      <Items of={links} />
      <span className="attention__message" title={first.message}>
        {first.message}
      </span>
    </li>
  );
}

function address(model: string, { kind, name, id }: Concern): string {
  if (kind === "relation") return toRelation(model, id ?? 0);
  return { unit: toUnit, application: toApplication, machine: toMachine }[kind](model, name);
}
