import { useQuery } from "@tanstack/react-query";
import { units as unitApi } from "../../api";
import type { MetricHistory } from "../../api/types";
import { Sparkline } from "../../components/charts/Sparkline";
import { Time } from "../../components/Time";

/** Values that a line shows. */
const VALUES = 60;
/** They come every few minutes. */
const AGAIN = 30_000;

/** What the charm measures of its unit: the newest values, and what they were. Nothing where it measures nothing. */
export function UnitMetrics({ model, unit }: { model: string; unit: string }) {
  const metrics = useQuery({
    queryKey: ["metrics", model, unit],
    queryFn: () => unitApi.metrics(model, unit, VALUES),
    refetchInterval: AGAIN,
  });
  const found = metrics.data ?? [];
  if (found.length === 0) return null;
  return (
    <section className="section" aria-label="Metrics of the charm">
      <h2 className="section__title">Metrics</h2>
      <table className="list" aria-label="Metrics">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">Value</th>
            <th scope="col">Trend</th>
            <th scope="col">Measured</th>
          </tr>
        </thead>
        <tbody>
          {found.map((each) => (
            <Row key={nameOf(each)} metric={each} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ metric }: { metric: MetricHistory }) {
  const name = nameOf(metric);
  const last = metric.values.at(-1);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Value">{last?.value}</td>
      <td data-label="Trend">
        <Sparkline values={metric.values.map(({ value }) => value)} label={name} />
      </td>
      <td data-label="Measured" className="nowrap">
        <Time at={last?.timestamp} />
      </td>
    </tr>
  );
}

/** `pings{path=/}` */
function nameOf({ metric, labels }: MetricHistory): string {
  const words = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return words.length > 0 ? `${metric}{${words.join(",")}}` : metric;
}
