import { useState } from "react";
import { Link, useParams } from "react-router";
import { StatusMark } from "../../components/charts";
import { Empty } from "../../components/States";
import { UnitTable } from "../../components/UnitTable";
import { type Concern, concerns, natural } from "../../lib/attention";
import { command } from "../../lib/commands";
import { toApplication, toDeploy, toMachine, toRelation, toUnit } from "../../lib/to";
import { type ModelEntities, useModel } from "../../live/context";
import { ApplicationTable } from "./ApplicationTable";
import { MachineTable } from "./MachineTable";

export function OverviewPage() {
  const { model: name = "" } = useParams();
  const entities = useModel(name);
  const [filter, setFilter] = useState("");
  const { applications, units, machines } = entities;
  if (applications.length === 0 && machines.length === 0) {
    return (
      <Empty
        title="This model is empty"
        cli={command("deploy", "-m", name, "./FILE.charm")}
        action={
          <Link className="p-button--positive" to={toDeploy(name)}>
            Deploy a charm
          </Link>
        }
      >
        Deploy a charm from a file to run its first application.
      </Empty>
    );
  }
  const fits = (...words: string[]): boolean =>
    words.some((word) => word.toLowerCase().includes(filter.toLowerCase()));
  const shownUnits = units.filter((unit) =>
    fits(unit.name, unit.workload.status, unit.agent.status, unit.workload.message),
  );
  const shownApplications = applications
    .filter(({ name: application, status, charm }) => fits(application, status.status, charm))
    .sort((a, b) => natural(a.name, b.name));
  return (
    <>
      <Attention model={name} entities={entities} />
      <div className="filter-bar">
        <input
          type="search"
          aria-label="Filter by name, status or message"
          placeholder="Filter by name, status or message"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <Section title="Applications" count={applications.length}>
        <ApplicationTable model={name} applications={shownApplications} units={units} />
      </Section>
      <Section title="Units" count={units.length}>
        {units.length > 0 ? (
          <UnitTable model={name} units={shownUnits} caption="Units" />
        ) : (
          <Empty title="No units" cli={command("add-unit", "-m", name, "APPLICATION")} />
        )}
      </Section>
      <Section title="Machines" count={machines.length}>
        {machines.length > 0 ? (
          <MachineTable
            model={name}
            machines={machines.filter(({ id, units: on }) => fits(id, ...on))}
          />
        ) : (
          <Empty title="No machines">Machines come with the units that need them.</Empty>
        )}
      </Section>
    </>
  );
}

function Section({ title, count, children }: { title: string; count: number; children: React.ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <h2 className="section__title">
        {title} <span className="section__count">{count}</span>
      </h2>
      {children}
    </section>
  );
}

function Attention({ model, entities }: { model: string; entities: ModelEntities }) {
  const found = concerns(entities.applications, entities.units, entities.machines, entities.relations);
  if (found.length === 0) return null;
  const to = { unit: toUnit, application: toApplication, machine: toMachine };
  const address = ({ kind, name, id }: Concern): string =>
    kind === "relation" ? toRelation(model, id ?? 0) : to[kind](model, name);
  return (
    <section className="attention" aria-label="Needs attention">
      <h2 className="attention__title">Needs attention</h2>
      <ul>
        {found.map((concern) => (
          <li key={`${concern.kind} ${concern.name}`}>
            <StatusMark status={concern.status} />
            <Link to={address(concern)}>
              {concern.kind === "machine" ? `machine ${concern.name}` : concern.name}
            </Link>
            <span className="attention__message">{concern.message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
