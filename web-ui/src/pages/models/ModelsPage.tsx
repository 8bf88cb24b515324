import { Fragment, useState } from "react";
import { Link } from "react-router";
import { StatusMark } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty } from "../../components/States";
import { Tally } from "../../components/Tally";
import { Time } from "../../components/Time";
import { type Concern, concerns, isUrgent, unitStatus } from "../../lib/attention";
import { groupedModels, matchingModels, MODEL_GROUPS, MODEL_ORDERS, orderedModels, stateOf } from "../../lib/modelOrder";
import { toModel } from "../../lib/to";
import { useFilters } from "../../lib/useFilters";
import type { ApplicationInfo, MachineInfo, ModelSummary, UnitInfo } from "../../api/types";
import { type Placed, useEverywhere, useReady } from "../../live/context";
import { useSuperuser } from "../../session";
import { AddModelDialog } from "./AddModelDialog";

/** So many cards are seen at once; more are looked for. */
const FILTERED = 6;

interface Shown {
  model: ModelSummary;
  units: UnitInfo[];
  concerns: Concern[];
  trouble: number;
}

function byModel<T>(placed: readonly Placed<T>[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const { model, entity } of placed) {
    const list = found.get(model);
    if (list) list.push(entity);
    else found.set(model, [entity]);
  }
  return found;
}

export function ModelsPage() {
  const ready = useReady();
  const superuser = useSuperuser();
  const [adding, setAdding] = useState(false);
  const placed = useEverywhere<ModelSummary>("model");
  const applications = byModel(useEverywhere<ApplicationInfo>("application"));
  const units = byModel(useEverywhere<UnitInfo>("unit"));
  const machines = byModel(useEverywhere<MachineInfo>("machine"));
  const [filters, set] = useFilters(["q", "sort", "group"]);
  const each = placed.map(({ model: uuid, entity }): Shown => {
    const own = units.get(uuid) ?? [];
    const found = concerns(applications.get(uuid) ?? [], own, machines.get(uuid) ?? []);
    return { model: entity, units: own, concerns: found, trouble: found.length + (isUrgent(entity.status.status) ? 1 : 0) };
  });
  const shown = orderedModels(each, filters.sort);
  const found = matchingModels(shown, filters.q);
  const groups = groupedModels(found, filters.group);
  // A link may have chosen something where nobody would have been asked.
  const chosen = Object.values(filters).some((value) => value !== "");
  const urgent = shown.filter(({ trouble }) => trouble > 0).length;
  return (
    <>
      <PageHead
        title="Models"
        summary={
          ready &&
          (urgent > 0
            ? `${urgent} of ${shown.length} ${urgent === 1 ? "needs" : "need"} attention`
            : `${count(shown.length, "model")}, none needs attention`)
        }
        tools={<CopyTools cli="periapt models" request={{ path: "/v1/models" }} />}
        actions={
          superuser && (
            <button type="button" className="p-button--positive" onClick={() => setAdding(true)}>
              Add model
            </button>
          )
        }
      />
      {!ready && <Pending what="the models" />}
      {ready && shown.length === 0 && (
        <Empty title="There is no model you can see" cli="periapt add-model demo">
          A model holds applications. Add one, or ask its owner to grant you access.
        </Empty>
      )}
      {(shown.length > FILTERED || (shown.length > 0 && chosen)) && (
        <div className="filter-bar">
          <input
            type="search"
            aria-label="Filter models by name, owner, cloud or status"
            placeholder="Filter by name, owner, cloud or status"
            defaultValue={filters.q}
            onChange={(event) => set("q", event.target.value)}
          />
          <select aria-label="Order of the models" value={filters.sort} onChange={(event) => set("sort", event.target.value)}>
            {MODEL_ORDERS.map(([order, label]) => (
              <option key={order} value={order}>
                {label}
              </option>
            ))}
          </select>
          <select aria-label="Groups of the models" value={filters.group} onChange={(event) => set("group", event.target.value)}>
            {MODEL_GROUPS.map(([group, label]) => (
              <option key={group} value={group}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      {shown.length > 0 && found.length === 0 && <Empty title="No matching models">Change the filter to see them.</Empty>}
      {groups.map(({ title, models }) => {
        const cards = (
          <ul className="cards">
            {models.map((each) => (
              <ModelCard key={each.model.uuid} {...each} within={title !== ""} />
            ))}
          </ul>
        );
        if (title === "") return <Fragment key="">{cards}</Fragment>;
        return (
          <section key={title} className="section" aria-label={title}>
            <h2 className="section__title">
              {title} <span className="muted">({models.length})</span>
            </h2>
            {cards}
          </section>
        );
      })}
      {adding && <AddModelDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function ModelCard({ model, units, concerns, within }: Shown & { within: boolean }) {
  const Title = within ? "h3" : "h2";
  return (
    <li className={`card ${concerns.length > 0 ? "card--attention" : ""}`}>
      <div className="card__head">
        <Title className="card__title">
          <Link to={toModel(model.name)}>{model.name}</Link>
        </Title>
        <StatusMark status={stateOf(model)} />
      </div>
      <p className="card__line muted">
        {model.owner} · added <Time at={model["created-at"]} />
      </p>
      {model.status.message && <p className="card__line">{model.status.message}</p>}
      <p className="card__line">
        {count(model.applications, "application")}, {count(model.units, "unit")},{" "}
        {count(model.machines, "machine")}
      </p>
      {units.length > 0 && <Tally statuses={units.map(unitStatus)} />}
      {concerns.slice(0, 3).map((concern) => (
        <p key={concern.kind + concern.name} className="card__concern">
          <StatusMark status={concern.status} label={false} /> <strong>{concern.name}</strong>{" "}
          {concern.message || concern.status}
        </p>
      ))}
      {concerns.length > 3 && <p className="card__line muted">and {concerns.length - 3} more</p>}
    </li>
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
