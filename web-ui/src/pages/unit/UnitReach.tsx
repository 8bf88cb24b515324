/** Who reaches a unit: the rows of the model's page that are about it. */
import { useQuery } from "@tanstack/react-query";
import { reach as reachApi } from "../../api";
import type { ApplicationInfo } from "../../api/types";
import { NamelessNote } from "../../components/NamelessNote";
import { Empty, Failure, Loading } from "../../components/States";
import { InsideWays, OutsideWays } from "../../components/Ways";
import { command } from "../../lib/commands";
import { insideWays, openUnits, outsideWays } from "../../lib/ways";

interface Properties {
  model: string;
  unit: string;
  applications: readonly ApplicationInfo[];
}

export function UnitReach({ model, unit, applications }: Properties) {
  const found = useQuery({ queryKey: ["reachability", model, unit], queryFn: () => reachApi.show(model, unit) });
  const cli = command("reachability", "-m", model, unit);
  if (found.isPending) return <Loading what="who reaches the unit" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  const reach = found.data;
  const outside = outsideWays(reach).length > 0;
  if (!outside && insideWays(reach).length + openUnits(reach).length === 0) {
    return (
      <Empty title={`${unit} cannot be reached`} cli={cli}>
        {reach.units[unit]?.open.length
          ? "Its open ports can be reached by related units, and from outside once its application is exposed."
          : "Its charm has not opened any ports."}
      </Empty>
    );
  }
  return (
    <>
      {outside && <NamelessNote reason={reach["ingress-failed"]} />}
      <OutsideWays model={model} reach={reach} applications={applications} own={unit} />
      <InsideWays model={model} reach={reach} own={unit} />
    </>
  );
}
