import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { units as unitApi } from "../../api";
import type { RelationInfo } from "../../api/types";
import { Bags } from "../../components/Bags";
import { StatusMark } from "../../components/charts";
import { Empty, Failure, Loading } from "../../components/States";
import { sidesSeen } from "../../lib/bags";
import { command } from "../../lib/commands";
import { toRelation } from "../../lib/to";
import { useModel } from "../../live/context";

/** The relations of a unit: what it has told the other side, and what it was told. */
export function UnitRelations({ model, unit }: { model: string; unit: string }) {
  const { relations } = useModel(model);
  const detail = useQuery({
    queryKey: ["bags", model, unit],
    queryFn: () => unitApi.show(model, unit),
  });
  const cli = command("show-unit", "-m", model, unit);
  if (detail.isPending) return <Loading what="the relations" />;
  if (detail.error) return <Failure error={detail.error} cli={cli} onRetry={() => void detail.refetch()} />;
  const seen = detail.data.relations ?? [];
  if (seen.length === 0) {
    return (
      <Empty title={`${unit} has no relations`} cli={cli}>
        Add relations on the page of its application.
      </Empty>
    );
  }
  return seen.map((each) => {
    const relation = relations.find(({ id }) => id === each["relation-id"]);
    return (
      <section key={each["relation-id"]} className="section" aria-label={`Relation ${each.endpoint}`}>
        <h3 className="section__title relation-title">
          <Link to={toRelation(model, each["relation-id"])}>
            {each.endpoint}
          </Link>{" "}
          <span className="muted">{words(each["related-application"], each["related-endpoint"], unit, relation)}</span>
          {relation && <StatusMark status={relation.status.status} />}
        </h3>
        <Bags model={model} sides={sidesSeen(unit, each)} own={unit} />
      </section>
    );
  });
}

function words(application: string, endpoint: string, unit: string, relation: RelationInfo | undefined): string {
  const spoken = relation ? ` (${relation.interface})` : "";
  if (unit.startsWith(`${application}/`)) return `among peers${spoken}`;
  return `with ${application}:${endpoint}${spoken}`;
}
