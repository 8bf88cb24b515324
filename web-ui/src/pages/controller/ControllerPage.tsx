import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { controller, probe } from "../../api";
import { FiguresChart, StatusMark } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { drawn, formatFor, stepsFor } from "../../lib/figures";
import { useSuperuser } from "../../session";
import { ControllerSettings } from "./ControllerSettings";
import { SecretBackends } from "./SecretBackends";

export function ControllerPage() {
  const superuser = useSuperuser();
  const info = useQuery({ queryKey: ["controller"], queryFn: controller.info, refetchInterval: 15_000 });
  return (
    <>
      <PageHead
        title="Controller"
        aside={info.data && <span className="tag">{info.data.name}</span>}
        summary="Health, version and metrics"
        tools={<CopyTools cli="periapt controllers" request={{ path: "/v1/controller" }} />}
      />
      {info.isPending && <Loading what="the controller" />}
      {info.error && <Failure error={info.error} cli="periapt controllers" onRetry={() => void info.refetch()} />}
      {info.data && (
        <Facts
          rows={[
            ["Version", info.data.version],
            ["Addresses", info.data.addresses.join(", ")],
            ["Database", info.data.database],
            ["Models", String(info.data.models)],
            ["Running since", <Time key="since" at={info.data["started-at"]} />],
            ["Process", String(info.data.pid)],
            ["UUID", <code key="uuid" className="digest">{info.data.uuid}</code>],
          ]}
        />
      )}
      <section className="section" aria-label="Health">
        <h2 className="section__title">Health</h2>
        <Health />
      </section>
      <section className="section" aria-label="Secret backends">
        <h2 className="section__title">Secret backends</h2>
        <SecretBackends />
      </section>
      {superuser && (
        <>
          <section className="section" aria-label="Metrics, last hour">
            <h2 className="section__title">Metrics, last hour</h2>
            <LastHour />
          </section>
          <section className="section" aria-label="Diagnostics">
            <h2 className="section__title">Diagnostics</h2>
            <p>
              <Link to="/workers">Workers</Link> of the controller and its models, and what they depend on.
            </p>
          </section>
          <section className="section" aria-label="Configuration">
            <h2 className="section__title">Configuration</h2>
            <ControllerSettings />
          </section>
        </>
      )}
    </>
  );
}

function Health() {
  const health = useQuery({ queryKey: ["health"], queryFn: () => probe("/health"), refetchInterval: 10_000 });
  const ready = useQuery({ queryKey: ["ready"], queryFn: () => probe("/ready"), refetchInterval: 10_000 });
  const error = health.error ?? ready.error;
  if (error) return <Failure error={error} cli="periapt controllers" onRetry={() => void health.refetch()} />;
  if (!health.data || !ready.data) return <Loading what="the health" />;
  const checks = [...health.data.checks, ...ready.data.checks];
  const rows = checks.filter(
    (check, place) => checks.findIndex((other) => other.name === check.name) === place,
  );
  return (
    <table className="list" aria-label="Checks">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Result</th>
          <th scope="col">Found</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, ok, reason }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td data-label="Result">
              <StatusMark status={ok ? "active" : "error"} label={false} /> {ok ? "ok" : "failing"}
            </td>
            <td data-label="Found" className="message">
              {reason || "—"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LastHour() {
  const figures = useQuery({
    queryKey: ["figures"],
    queryFn: controller.figures,
    refetchInterval: 10_000,
    retry: false,
  });
  if (figures.isPending) return <Loading what="the figures" />;
  if (figures.error) {
    return <Failure error={figures.error} cli="periapt introspect metrics" onRetry={() => void figures.refetch()} />;
  }
  const charts = drawn(figures.data);
  if (figures.data.times.length < 2) {
    return (
      <Empty title="No metrics yet" cli="periapt introspect metrics">
        The controller takes a sample every {figures.data.step} s and keeps the last hour in memory.
      </Empty>
    );
  }
  return (
    <div className="figures">
      {charts.map(({ title, unit, series }) => (
        <FiguresChart key={title} title={title} series={series} format={formatFor(unit)} steps={stepsFor(unit)} />
      ))}
    </div>
  );
}
