import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useNavigate, useParams } from "react-router";
import { reach as reachApi } from "../../api";
import Topology from "../../components/charts/Topology";
import { Empty } from "../../components/States";
import { unitStatus } from "../../lib/attention";
import { command } from "../../lib/commands";
import { toApplication } from "../../lib/to";
import { portsOfRelation } from "../../lib/ways";
import { useModel } from "../../live/context";

export default function TopologyPage() {
  const { model = "" } = useParams();
  const navigate = useNavigate();
  const { applications, units, relations, charms } = useModel(model);
  // Without an answer the picture is the same but for the ports.
  const reach = useQuery({ queryKey: ["reachability", model], queryFn: () => reachApi.show(model, undefined) }).data;
  const flowing = useMemo(
    () => relations.map((each) => ({ ...each, ports: reach ? portsOfRelation(reach, each) : [] })),
    [relations, reach],
  );
  const drawn = useMemo(() => {
    const statuses = new Map<string, string[]>();
    for (const unit of units) {
      const list = statuses.get(unit.application) ?? [];
      list.push(unitStatus(unit));
      statuses.set(unit.application, list);
    }
    const subordinate = new Set(charms.filter((charm) => charm.subordinate).map(({ url }) => url));
    return applications.map(({ name, status, charm, units: own }) => ({
      name,
      status: status.status,
      message: status.message,
      units: own.length,
      unitStatuses: statuses.get(name) ?? [],
      charm,
      subordinate: subordinate.has(charm),
    }));
  }, [applications, units, charms]);
  if (applications.length === 0) {
    return (
      <Empty title="Nothing to draw yet" cli={command("deploy", "-m", model, "./FILE.charm")}>
        Applications and the relations between them appear here once there are some.
      </Empty>
    );
  }
  return (
    <section className="section" aria-label="Topology">
      <Topology
        applications={drawn}
        relations={flowing}
        onOpen={(name) => void navigate(toApplication(model, name))}
        hrefOf={(name) => toApplication(model, name)}
        label={`Applications of ${model} and their relations`}
      />
    </section>
  );
}
