import { Link } from "react-router";
import type { ApplicationInfo, UnitInfo } from "../../api/types";
import { Name, StatusMark } from "../../components/charts";
import { Clamped } from "../../components/Clamped";
import { OpenLink } from "../../components/OpenLink";
import { unitStatus } from "../../lib/attention";
import { toApplication, toCharm } from "../../lib/to";

interface Properties {
  model: string;
  applications: readonly ApplicationInfo[];
  units: readonly UnitInfo[];
}

export function ApplicationTable({ model, applications, units }: Properties) {
  const active = new Map<string, number>();
  for (const unit of units) {
    if (unitStatus(unit) !== "active") continue;
    active.set(unit.application, (active.get(unit.application) ?? 0) + 1);
  }
  return (
    <table className="list" aria-label="Applications">
      <thead>
        <tr>
          <th scope="col">Application</th>
          <th scope="col">Status</th>
          <th scope="col" className="number">
            Active
          </th>
          <th scope="col">Charm</th>
          <th scope="col">Version</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {applications.map((application) => {
          const { name, status, charm, life } = application;
          const scale = application.units.length;
          const up = active.get(name) ?? 0;
          return (
            <tr key={name} data-application={name}>
              <th scope="row">
                <Link to={toApplication(model, name)}>
                  <Name text={name} />
                </Link>
                {application.subordinate && <span className="tag">subordinate</span>}
                {life !== "alive" && <span className="tag">{life}</span>}
                {application.url && (
                  <>
                    {" "}
                    <OpenLink to={application.url} of={name} />
                  </>
                )}
              </th>
              <td data-label="Status" className="nowrap">
                <StatusMark status={status.status} />
              </td>
              <td data-label="Active" className={`number ${up < scale ? "is-short" : ""}`}>
                {up}/{scale}
              </td>
              <td data-label="Charm">
                <Link to={toCharm(model, charm)}>
                  <Name text={charm} before="-" />
                </Link>
                {application["can-upgrade-to"] && (
                  <span className="tag" title={`can upgrade to ${application["can-upgrade-to"]}`}>
                    newer
                  </span>
                )}
              </td>
              <td data-label="Version" className="nowrap">
                <Name text={application["workload-version"] || "–"} />
              </td>
              <td data-label="Message" className="message">
                <Clamped text={status.message} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
