import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { applications } from "../../api";
import { StatusTimeline } from "../../components/charts";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { useNow } from "../../lib/useNow";

export function ApplicationHistoryPage() {
  const { model = "", application = "" } = useParams();
  const now = useNow();
  const history = useQuery({
    queryKey: ["history", application, model],
    queryFn: () => applications.history(model, application, 200),
  });
  const cli = command("show-status-log", "-m", model, application);
  if (history.isPending) return <Loading what="the history" />;
  if (history.error) return <Failure error={history.error} cli={cli} onRetry={() => void history.refetch()} />;
  if (history.data.length === 0) {
    return (
      <Empty title="No history yet" cli={cli}>
        The application's status follows its units. It has its own history once its charm sets a status.
      </Empty>
    );
  }
  return <StatusTimeline entries={history.data} now={now} label={`Statuses of ${application}`} />;
}
