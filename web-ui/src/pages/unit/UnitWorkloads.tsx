/** What runs in a unit's containers: services and what they went through, checks, and the requests of the last hour. */
import { useQuery } from "@tanstack/react-query";
import { units } from "../../api";
import type { CheckInfo, ServiceInfo } from "../../api/types";
import { StatusMark } from "../../components/charts";
import { micros } from "../../components/charts/time";
import { OpenLink } from "../../components/OpenLink";
import { Requests } from "../../components/Requests";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { stepsOf } from "../../lib/passed";
import { foundByName } from "../../lib/ways";
import { ServiceHistory } from "./ServiceHistory";

interface Properties {
  model: string;
  unit: string;
  /** Where the unit is found from outside. */
  url: string | null;
  /** Its open ports. */
  open: readonly string[];
}

export function UnitWorkloads({ model, unit, url, open }: Properties) {
  const found = useQuery({
    queryKey: ["workloads", unit, model],
    queryFn: async () => {
      const [services, checks] = await Promise.all([units.services(model, unit), units.checks(model, unit)]);
      return { services, checks };
    },
  });
  const cli = command("services", "-m", model, unit);
  if (found.isPending) return <Loading what="the services" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  const { services, checks } = found.data;
  if (services.length === 0) {
    return (
      <Empty title="No services" cli={cli}>
        The charm of this unit has not defined any services.
      </Empty>
    );
  }
  const steps = stepsOf(services);
  return (
    <>
      <Services services={services} url={url} found={foundByName(services, open)} />
      {checks.length > 0 && <Checks checks={checks} />}
      {steps.length > 0 && <ServiceHistory steps={steps} />}
      <section className="section" aria-label="Requests, last hour">
        <h2 className="section__title">Requests, last hour</h2>
        <Requests model={model} application={unit.split("/")[0] ?? ""} unit={unit} />
      </section>
    </>
  );
}

interface ServicesProperties {
  services: ServiceInfo[];
  url: string | null;
  /** The one that answers there. */
  found: ServiceInfo | undefined;
}

function Services({ services, url, found }: ServicesProperties) {
  return (
    <table className="list" aria-label="Services">
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">Startup</th>
          <th scope="col">Current</th>
          <th scope="col">Since</th>
          <th scope="col">Restarts</th>
          <th scope="col">Port</th>
          <th scope="col">Last end</th>
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <tr key={service.name}>
            <th scope="row">
              {service.container}/{service.service}
            </th>
            <td data-label="Startup">{service.startup}</td>
            <td data-label="Current">
              <StatusMark status={service.current} />
            </td>
            <td data-label="Since">{micros(service.since) > 0 ? <Time at={service.since} /> : "—"}</td>
            <td data-label="Restarts">{service.restarts}</td>
            <td data-label="Port">
              {service.port ?? "—"} {service === found && <OpenLink to={url} of={service.name} />}
            </td>
            <td data-label="Last end" className="message">
              {service["last-end"] ?? "—"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Checks({ checks }: { checks: CheckInfo[] }) {
  return (
    <section className="section" aria-label="Checks">
      <h2 className="section__title">Checks</h2>
      <table className="list" aria-label="Checks">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Level</th>
            <th scope="col">Status</th>
            <th scope="col">Failures</th>
            <th scope="col">On failure</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr key={check.name}>
              <th scope="row">
                {check.container}/{check.check}
              </th>
              <td data-label="Level">{check.level || "—"}</td>
              <td data-label="Status">
                <StatusMark status={check.status} />
              </td>
              <td data-label="Failures">
                {check.failures}/{check.threshold}
              </td>
              <td data-label="On failure">{check["on-failure"].join(", ") || "—"}</td>
              <td data-label="Message" className="message">
                {check.message ?? "—"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
