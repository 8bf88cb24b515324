/** Who reaches the units of a model: from outside, and from one another. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { reach as reachApi } from "../../api";
import * as paths from "../../api/paths";
import type { ApplicationInfo, Reachability } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { NamelessNote } from "../../components/NamelessNote";
import { Name } from "../../components/charts";
import { OpenLink } from "../../components/OpenLink";
import { Empty, Failure, Loading } from "../../components/States";
import { InsideWays, OutsideWays } from "../../components/Ways";
import { command } from "../../lib/commands";
import { exposure } from "../../lib/reach";
import { toApplication } from "../../lib/to";
import { insideWays, openUnits, outsideWays, shows } from "../../lib/ways";
import { useModel } from "../../live/context";

export function ReachabilityPage() {
  const { model = "" } = useParams();
  const { applications, relations } = useModel(model);
  const found = useQuery({ queryKey: ["reachability", model], queryFn: () => reachApi.show(model, undefined) });
  const cli = command("reachability", "-m", model);
  if (found.isPending) return <Loading what="who reaches whom" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  const reach = found.data;
  const exposed = applications.filter(({ exposed }) => exposed);
  return (
    <>
      <div className="section section__head">
        <p className="muted">{modeWords(reach)}</p>
        <CopyTools cli={cli} request={{ path: paths.reachability(model) }} />
      </div>
      <NamelessNote reason={reach["ingress-failed"]} />
      <section className="section" aria-label="From outside">
        <h2 className="section__title">From outside</h2>
        {exposed.length === 0 ? (
          <Empty title="Nothing is reachable from outside" cli={command("expose", "-m", model, "APPLICATION")}>
            The open ports of an application can be reached once it is exposed.
          </Empty>
        ) : (
          <>
            <Exposed model={model} applications={exposed} reach={reach} />
            {outsideWays(reach).length > 0 && <h3 className="section__title">Ports open to the outside</h3>}
            <OutsideWays model={model} reach={reach} applications={applications} />
          </>
        )}
      </section>
      <section className="section" aria-label="Inside the model">
        <h2 className="section__title">Inside the model</h2>
        {insideWays(reach).length + openUnits(reach).length === 0 ? (
          <Empty
            title="No unit can reach another"
            {...(reach.mode !== "model" &&
              relations.length === 0 && { cli: command("integrate", "-m", model, "APPLICATION", "APPLICATION") })}
          >
            {insideWords(reach.mode === "model", relations.length > 0)}
          </Empty>
        ) : (
          <InsideWays model={model} reach={reach} />
        )}
      </section>
    </>
  );
}

/** Why no unit reaches another. */
function insideWords(everybody: boolean, related: boolean): string {
  if (everybody) return "No unit has an open port.";
  if (related) return "No unit has opened a port for one of the relations.";
  return "Units can reach the ports that units of related applications opened for the relation's endpoint.";
}

function modeWords({ mode, ingress }: Reachability): string {
  const inside =
    mode === "model"
      ? "Every unit can reach every open port of the model (option reachability=model)."
      : "Units can reach the ports that units of related applications opened for the relation.";
  return ingress ? `${inside} Hostnames are served at ${ingress}.` : inside;
}

interface Properties {
  model: string;
  applications: readonly ApplicationInfo[];
  reach: Reachability;
}

function Exposed({ model, applications, reach }: Properties) {
  return (
    <table className="list" aria-label="Exposed applications">
      <thead>
        <tr>
          <th scope="col">Application</th>
          <th scope="col">Exposed</th>
          <th scope="col">Found by name</th>
        </tr>
      </thead>
      <tbody>
        {applications.map((application) => (
          <tr key={application.name} data-exposed={application.name}>
            <th scope="row">
              <Link to={toApplication(model, application.name)}>
                <Name text={application.name} />
              </Link>
            </th>
            <td data-label="Exposed">{exposure(application)}</td>
            <td data-label="Found by name" className="message">
              {shows(application.units.map((unit) => reach.units[unit])) ? (
                <>
                  {application.url ?? "no"} <OpenLink to={application.url} of={application.name} />
                </>
              ) : (
                "once a unit opens a port for it"
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
