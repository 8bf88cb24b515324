/** The settings of a relation: a column for each side, a box for the application and each unit. */
import { useState } from "react";
import { Link } from "react-router";
import type { Settings } from "../api/types";
import type { SideSettings } from "../lib/bags";
import { toApplication, toUnit } from "../lib/to";

/** So many units of a side are written out at once. */
const MOST = 10;

interface Properties {
  model: string;
  sides: SideSettings[];
  /** The unit that looks; it is marked. */
  own?: string;
}

export function Bags({ model, sides, own }: Properties) {
  return (
    <div className="bags">
      {sides.map((side) => (
        <SideBags key={`${side.application}:${side.endpoint}`} model={model} side={side} own={own} />
      ))}
    </div>
  );
}

function SideBags({ model, side, own }: { model: string; side: SideSettings; own: string | undefined }) {
  const [all, setAll] = useState(false);
  const name = `${side.application}:${side.endpoint}`;
  const shown = all ? side.units : side.units.slice(0, MOST);
  return (
    <section className="bags__side" aria-label={`Settings of ${name}`}>
      <h4 className="bags__title">{name}</h4>
      <div className="bag">
        <h5 className="bag__title">
          Application <Link to={toApplication(model, side.application)}>{side.application}</Link>
        </h5>
        {side.data === null ? <p className="muted">Not visible from here</p> : <Pairs data={side.data} />}
      </div>
      {side.units.length === 0 && <p className="muted">No unit has joined yet.</p>}
      {shown.map((unit) => (
        <div key={unit.name} className="bag">
          <h5 className="bag__title">
            Unit <Link to={toUnit(model, unit.name)}>{unit.name}</Link>
            {unit.name === own && <span className="tag">this unit</span>}
            {!unit.inScope && <span className="tag">not in scope</span>}
          </h5>
          <Pairs data={unit.data} />
        </div>
      ))}
      {shown.length < side.units.length && (
        <button type="button" className="p-button is-small" onClick={() => setAll(true)}>
          Show all {side.units.length} units
        </button>
      )}
    </section>
  );
}

function Pairs({ data }: { data: Settings }) {
  const pairs = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
  if (pairs.length === 0) return <p className="muted">No settings</p>;
  return (
    <dl className="bag__pairs">
      {pairs.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value === "" ? <span className="muted">empty</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
