import { useQuery } from "@tanstack/react-query";
import { units } from "../../api";
import type { UnitInfo } from "../../api/types";
import { Causes } from "../../components/Causes";
import { Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";

/** Why a unit is as it is: the chain of causes behind the last thing that it did. */
export function UnitWhy({ model, unit }: { model: string; unit: UnitInfo }) {
  const why = useQuery({
    // What it did last shows in its statuses, which are told as they change.
    queryKey: ["why", model, unit.name, unit.agent.since, unit.workload.since],
    queryFn: () => units.why(model, unit.name),
  });
  return (
    <section className="section" aria-label="Why it last ran">
      <h2 className="section__title">Why it last ran</h2>
      {why.isPending && <Loading what="the causes" rows={2} />}
      {why.error && (
        <Failure
          error={why.error}
          cli={command("why", "-m", model, unit.name)}
          onRetry={() => void why.refetch()}
        />
      )}
      {why.data && <Causes model={model} steps={why.data.steps} />}
    </section>
  );
}
