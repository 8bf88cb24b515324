/** Requests of the last hour to an application or one of its units: rate, errors and latency. */
import { useQuery } from "@tanstack/react-query";
import { applications } from "../api";
import { command } from "../lib/commands";
import { stepsFor } from "../lib/figures";
import { drawnTraffic, formatOf } from "../lib/traffic";
import { useModel } from "../live/context";
import { FiguresChart } from "./charts";
import { Empty, Failure, Loading } from "./States";

interface Properties {
  model: string;
  application: string;
  unit?: string;
}

export function Requests({ model, application, unit }: Properties) {
  const exposed = useModel(model).applications.find(({ name }) => name === application)?.exposed;
  const traffic = useQuery({
    queryKey: ["traffic", model, application, unit],
    queryFn: () => applications.traffic(model, application, unit),
    // Counts come every ten seconds, and no event tells of them.
    refetchInterval: 10_000,
  });
  if (traffic.isPending) return <Loading what="the requests" />;
  if (traffic.error) return <Failure error={traffic.error} onRetry={() => void traffic.refetch()} />;
  const charts = drawnTraffic(traffic.data);
  if (charts.length === 0) {
    return (
      <Empty
        title="No requests in the last hour"
        {...(exposed === false && { cli: command("expose", "-m", model, application) })}
      >
        Requests are counted within twenty seconds of their answer.
        {exposed === false && ` ${application} can be reached from outside once it is exposed.`}
      </Empty>
    );
  }
  return (
    <div className="figures">
      {charts.map(({ title, unit: of, series }) => (
        <FiguresChart key={title} title={title} series={series} format={formatOf(of)} steps={stepsFor(of)} />
      ))}
    </div>
  );
}
