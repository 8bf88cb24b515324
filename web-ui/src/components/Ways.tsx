/** The ways to units: from outside, and from units of the same model. */
import { Link } from "react-router";
import type { ApplicationInfo, Reachability } from "../api/types";
import { unitUrl } from "../lib/reach";
import { toApplication, toUnit } from "../lib/to";
import { applicationOfUnit, type InsideWay, insideWays, openUnits, type OutsideWay, outsideWays } from "../lib/ways";
import { Name, StatusMark } from "./charts";
import { Items } from "./Items";
import { OpenLink } from "./OpenLink";

/** Units of one row that are named. */
const NAMED = 5;

interface Properties {
  model: string;
  reach: Reachability;
  applications: readonly ApplicationInfo[];
  /** The page is about this unit, which needs no name then. */
  own?: string;
}

/** The ports that are shown to the outside; nothing where there are none. */
export function OutsideWays({ model, reach, applications, own }: Properties) {
  const ways = outsideWays(reach);
  if (ways.length === 0) return null;
  const urlOf = ({ unit, ports }: OutsideWay): string | null =>
    unitUrl(applications.find(({ name }) => name === applicationOfUnit(unit)), unit, [ports]);
  return (
    <table className="list" aria-label="Reached from outside">
      <thead>
        <tr>
          {own === undefined && <th scope="col">Unit</th>}
          <th scope="col">Ports</th>
          <th scope="col">From</th>
          <th scope="col">State</th>
          <th scope="col">Where</th>
        </tr>
      </thead>
      <tbody>
        {ways.map((way) => (
          <tr key={`${way.unit} ${way.ports}`} data-way={`${way.unit} ${way.ports}`}>
            {own === undefined && (
              <th scope="row">
                <Link to={toUnit(model, way.unit)}>
                  <Name text={way.unit} />
                </Link>
              </th>
            )}
            <td data-label="Ports" className="nowrap">
              {way.ports}
            </td>
            <td data-label="From">{way.from}</td>
            <td data-label="State" className="nowrap">
              <StatusMark status={stateOf(way)} />
            </td>
            <td data-label="Where" className="message">
              <Items
                of={way.listening.map((address) => ({ key: address, shown: address }))}
                none={way.silent.length > 0 ? null : "by name"}
              />{" "}
              {way.silent.map(({ port, reason }) => (
                <span key={port} className="beside">
                  {port === way.ports ? reason : `${port}: ${reason}`}
                </span>
              ))}
              <OpenLink to={urlOf(way)} of={way.unit} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function stateOf({ listening, silent }: OutsideWay): string {
  if (silent.length > 0) return "does not listen";
  return listening.length > 0 ? "listening" : "unknown";
}

/** What units of the model reach; nothing where they reach nothing. */
export function InsideWays({ model, reach, own }: Omit<Properties, "applications">) {
  const everybody = openUnits(reach);
  const ways = insideWays(reach);
  if (everybody.length + ways.length === 0) return null;
  return (
    <table className="list" aria-label="Reached inside the model">
      <thead>
        <tr>
          {own === undefined && <th scope="col">Units</th>}
          <th scope="col">Reached by</th>
          <th scope="col">Endpoint</th>
          <th scope="col">Ports</th>
        </tr>
      </thead>
      <tbody>
        {everybody.map(({ unit, ports }) => (
          <tr key={unit}>
            {own === undefined && (
              <th scope="row">
                <Units model={model} units={[unit]} />
              </th>
            )}
            <td data-label="Reached by">every unit of the model</td>
            <td data-label="Endpoint">—</td>
            <td data-label="Ports">
              <Ports of={ports} />
            </td>
          </tr>
        ))}
        {ways.map((way) => (
          <tr key={keyOf(way)}>
            {own === undefined && (
              <th scope="row">
                <Units model={model} units={way.units} />
              </th>
            )}
            <td data-label="Reached by">
              <Link to={toApplication(model, way.application)}>{way.application}</Link>
              {way.withinContainer && <span className="tag">same container</span>}
            </td>
            <td data-label="Endpoint" className="nowrap">
              {way.endpoint}
            </td>
            <td data-label="Ports">
              <Ports of={way.ports} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const keyOf = (way: InsideWay): string => [way.application, way.endpoint, ...way.ports, ...way.units].join(" ");

function Units({ model, units }: { model: string; units: readonly string[] }) {
  const named = units.slice(0, NAMED).map((unit) => ({
    key: unit,
    shown: <Link to={toUnit(model, unit)}>{unit}</Link>,
  }));
  const more = units.length - named.length;
  return <Items of={more > 0 ? [...named, { key: "", shown: `${more} more` }] : named} />;
}

function Ports({ of }: { of: readonly string[] }) {
  return <Items of={of.map((ports) => ({ key: ports, shown: ports }))} />;
}
