import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { sandbox } from "../../api";
import { withQuery } from "../../api/client";
import * as paths from "../../api/paths";
import type { Top, UnitUsage } from "../../api/types";
import { durationText, Name } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Filters } from "../../components/Filters";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { MEASURES, measureOf, PERIODS, periodOf, uses } from "../../lib/sandbox";
import { toModel, toUnit } from "../../lib/to";
import { useFilters } from "../../lib/useFilters";
import { UsageBar } from "./UsageBar";

const NAMES = ["by", "period"] as const;
/** Units that are listed; the CLI lists more. */
const UNITS = 100;
/** Hooks run all the time, and each may change who is first. */
const AGAIN = 15_000;

/** The units of a model whose hooks use most, against what one hook may use. */
export function SandboxPage() {
  const { model = "" } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const measure = measureOf(values.by);
  const period = periodOf(values.period);
  const filter = { by: measure.by, seconds: period.seconds, limit: UNITS };
  const top = useQuery({
    queryKey: ["top", model, filter],
    queryFn: () => sandbox.top(model, filter),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN,
  });
  const cli = command(
    "top", "-m", model, "--by", measure.option,
    ...(period.seconds ? ["--seconds", String(period.seconds)] : []),
  );
  return (
    <section className="section" aria-label="Sandbox">
      <div className="filters-row">
        <Filters
          filters={[
            { name: "by", label: "Sort by", options: MEASURES.map(({ by, label }) => [by === "time" ? "" : by, label]) },
            { name: "period", label: "Hooks", options: PERIODS.map(({ period: key, label }) => [key, label]) },
          ]}
          values={values}
          onChange={set}
          onClear={clear}
        />
        <CopyTools cli={cli} request={{ path: withQuery(paths.top(model), filter) }} />
      </div>
      {top.isPending && <Loading what="what hooks use" />}
      {top.error && <Failure error={top.error} cli={cli} onRetry={() => void top.refetch()} />}
      {top.data && !top.error && (top.data.units.length > 0 ? (
        <UsageTable model={model} top={top.data} period={period.within} />
      ) : (
        <Empty title={period.within ? `No hooks ran ${period.within}` : "No hooks are recorded"} cli={cli}>
          {period.within ? (
            <>Choose a longer period, or look at the <Link to={`${toModel(model)}/hooks`}>hooks</Link> that ran.</>
          ) : (
            "Hooks run when a unit is installed, configured, refreshed and removed."
          )}
        </Empty>
      ))}
    </section>
  );
}

function UsageTable({ model, top, period }: { model: string; top: Top; period: string }) {
  return (
    <>
      <p className="muted">
        Each bar shows the most that one hook of the unit used{period && ` ${period}`}, against the limit of one hook. A
        hook that exceeds a limit fails.
      </p>
      <table className="list usage-table" aria-label="What hooks use">
        <thead>
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Hooks</th>
            <th scope="col">Time</th>
            <th scope="col">Longest hook</th>
            <th scope="col">Memory</th>
            <th scope="col">Calls</th>
            <th scope="col">State</th>
            <th scope="col">Output</th>
          </tr>
        </thead>
        <tbody>
          {top.units.map((each) => (
            <UsageRow key={each.unit} model={model} used={each} top={top} />
          ))}
        </tbody>
      </table>
      {top.units.length >= UNITS && <p className="muted">These are the first {UNITS} units.</p>}
    </>
  );
}

function UsageRow({ model, used, top }: { model: string; used: UnitUsage; top: Top }) {
  return (
    <tr data-unit={used.unit}>
      <th scope="row">
        <Link to={toUnit(model, used.unit)}>
          <Name text={used.unit} />
        </Link>
      </th>
      <td data-label="Hooks" className="nowrap">
        {used.hooks}
        {used.failed > 0 && (
          <Link className="usage__failed" to={`${toModel(model)}/hooks?unit=${encodeURIComponent(used.unit)}&result=failed`}>
            {used.failed} failed
          </Link>
        )}
      </td>
      <td data-label="Time" className="nowrap">{durationText(used.total)}</td>
      {uses(used, top).map((use) => (
        <td key={use.label} data-label={use.label}>
          <UsageBar use={use} />
        </td>
      ))}
    </tr>
  );
}
