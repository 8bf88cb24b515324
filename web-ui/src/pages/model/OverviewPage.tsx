import { Link, useParams } from "react-router";
import { Empty } from "../../components/States";
import { UnitTable } from "../../components/UnitTable";
import { command } from "../../lib/commands";
import { CONTROLLER_MODEL } from "../../lib/controllerModel";
import { narrowed } from "../../lib/overview";
import { toDeploy } from "../../lib/to";
import { useFilters } from "../../lib/useFilters";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { ApplicationTable } from "./ApplicationTable";
import { Attention } from "./Attention";
import { MachineTable } from "./MachineTable";

export function OverviewPage() {
  const { model: name = "" } = useParams();
  const entities = useModel(name);
  const mayWrite = useAllowed(name, "write");
  const [filters, set, clear] = useFilters(["q", "status"]);
  const { applications, units, machines } = entities;
  if (applications.length === 0 && machines.length === 0) {
    if (name === CONTROLLER_MODEL) {
      return (
        <Empty title="The controller's own model" cli="periapt destroy-controller --help">
          The controller keeps its own log and configuration here. Applications belong into other
          models, and it goes with the controller alone.
        </Empty>
      );
    }
    return (
      <Empty
        title="This model is empty"
        cli={command("deploy", "-m", name, "./FILE.charm")}
        action={
          mayWrite && (
            <Link className="p-button--positive" to={toDeploy(name)}>
              Deploy a charm
            </Link>
          )
        }
      >
        Deploy a charm from a file to run its first application.
      </Empty>
    );
  }
  const shown = narrowed(entities, { text: filters.q, status: filters.status });
  const filtered = filters.q !== "" || filters.status !== "";
  const none = shown.applications.length + shown.units.length + shown.machines.length === 0;
  return (
    <>
      <Attention model={name} entities={entities} />
      <div className="filter-bar" role="group" aria-label="Filters">
        <input
          type="search"
          aria-label="Filter by name, status or message"
          placeholder="Filter by name, status or message"
          value={filters.q}
          onChange={(event) => set("q", event.target.value)}
        />
        {filters.status && (
          <button type="button" className="p-button is-small" onClick={() => set("status", "")}>
            Status: {filters.status} <span aria-hidden="true">×</span>
            <span className="u-off-screen">, remove this filter</span>
          </button>
        )}
        {filtered && (
          <button type="button" className="p-button is-small" onClick={clear}>
            Clear
          </button>
        )}
      </div>
      {none && <Empty title="Nothing matches this filter">Change or clear the filter to see the model.</Empty>}
      <Section title="Applications" shown={shown.applications.length} all={applications.length}>
        <ApplicationTable model={name} applications={shown.applications} units={units} />
      </Section>
      <Section title="Units" shown={shown.units.length} all={units.length}>
        <UnitTable model={name} units={shown.units} caption="Units" />
      </Section>
      <Section title="Machines" shown={shown.machines.length} all={machines.length}>
        <MachineTable model={name} machines={shown.machines} />
      </Section>
    </>
  );
}

interface SectionProperties {
  title: string;
  shown: number;
  all: number;
  children: React.ReactNode;
}

/** A table with its count; what the filter leaves nothing of is one line. */
function Section({ title, shown, all, children }: SectionProperties) {
  return (
    <section className="section" aria-label={title}>
      <h2 className="section__title">
        {title} <span className="section__count">{shown === all ? all : `${shown} of ${all}`}</span>
      </h2>
      {shown > 0 ? children : <p className="muted">{all === 0 ? "None yet" : "None matches the filter"}</p>}
    </section>
  );
}
