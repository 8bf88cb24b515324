import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { useNavigate, useParams } from "react-router";
import { reach as reachApi } from "../../api";
import Topology from "../../components/charts/Topology";
import type { RelationInfo } from "../../components/charts/types";
import { Empty } from "../../components/States";
import { unitStatus } from "../../lib/attention";
import { command } from "../../lib/commands";
import { toApplication, toRelation, toRelations } from "../../lib/to";
import { narrowedPicture } from "../../lib/topologyFilter";
import { portsOfRelation } from "../../lib/ways";
import { useModel } from "../../live/context";
import { useFleetView } from "./fleet/useFleetView";
import { TopologyFilter } from "./TopologyFilter";

/** Applications and relations of a model, or of those that fit a filter. */
export default function TopologyPage() {
  const { model = "" } = useParams();
  const navigate = useNavigate();
  const address = useFleetView();
  const picture = useRef<HTMLDivElement>(null);
  const { applications, units, relations, charms } = useModel(model);
  // Without an answer the picture is the same but for the ports.
  const reach = useQuery({ queryKey: ["reachability", model], queryFn: () => reachApi.show(model, undefined) }).data;
  const flowing = useMemo(
    () => relations.map((each) => ({ ...each, ports: reach ? portsOfRelation(reach, each) : [] })),
    [relations, reach],
  );
  const { text, view, change } = address;
  const narrowed = useMemo(
    () => narrowedPicture(applications, flowing, { text, statuses: view.statuses }),
    [applications, flowing, text, view.statuses],
  );
  const { fitting, neighbours } = narrowed;
  const all = useMemo(() => {
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
  const drawn = useMemo(
    () =>
      all
        .filter(({ name }) => fitting.has(name) || neighbours.has(name))
        .map((each) => ({ ...each, neighbour: neighbours.has(each.name) })),
    [all, fitting, neighbours],
  );
  if (applications.length === 0) {
    return (
      <Empty title="Nothing to draw yet" cli={command("deploy", "-m", model, "./FILE.charm")}>
        Applications and the relations between them appear here once there are some.
      </Empty>
    );
  }
  const hrefOfRelations = (own: readonly RelationInfo[]): string => {
    const [only, ...more] = own;
    return only && more.length === 0 ? toRelation(model, only.id) : toRelations(model);
  };
  return (
    <section className="section" aria-label="Topology">
      <TopologyFilter
        address={address}
        statuses={narrowed.statuses}
        fitting={fitting.size}
        all={applications.length}
        neighbours={neighbours.size}
        onDown={() => picture.current?.querySelector<HTMLElement>(".graph-box:not(.is-neighbour), .graph-list-open")?.focus()}
      />
      <div ref={picture}>
        {fitting.size === 0 ? (
          <Empty
            title="Nothing matches this filter"
            action={
              <button type="button" className="p-button" onClick={() => change({ text: "", statuses: [] })}>
                Clear the filter
              </button>
            }
          >
            Change or clear the filter to see the applications.
          </Empty>
        ) : (
          <Topology
            applications={drawn}
            relations={narrowed.relations}
            onOpen={(name) => void navigate(toApplication(model, name))}
            hrefOf={(name) => toApplication(model, name)}
            relationLinks={{ hrefOf: hrefOfRelations, onOpen: (own) => void navigate(hrefOfRelations(own)) }}
            label={`Applications of ${model} and their relations`}
            place={JSON.stringify([model, text, view.statuses])}
          />
        )}
      </div>
    </section>
  );
}
