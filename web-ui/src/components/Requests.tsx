/** Requests of the last hour to an application or one of its units: rate, errors and latency. */
import { useQuery } from "@tanstack/react-query";
import { applications } from "../api";
import { stepsFor } from "../lib/figures";
import { drawnTraffic, formatOf } from "../lib/traffic";
import { FiguresChart } from "./charts";
import { Empty, Failure, Loading } from "./States";

interface Properties {
  model: string;
  application: string;
  unit?: string;
  /** What stands beside a failure, and helps on where there are no requests: the command line draws no requests. */
  cli: string;
}

export function Requests({ model, application, unit, cli }: Properties) {
  const traffic = useQuery({
    queryKey: ["traffic", model, application, unit],
    queryFn: () => applications.traffic(model, application, unit),
    // Counts come every ten seconds, and no event tells of them.
    refetchInterval: 10_000,
  });
  if (traffic.isPending) return <Loading what="the requests" />;
  if (traffic.error) return <Failure error={traffic.error} cli={cli} onRetry={() => void traffic.refetch()} />;
  const charts = drawnTraffic(traffic.data);
  if (charts.length === 0) {
    return (
      <Empty title="No requests in the last hour" cli={cli}>
        Requests are counted within twenty seconds of their answer. Applications can be reached from outside once they are exposed.
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
