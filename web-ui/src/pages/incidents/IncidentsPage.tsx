import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { incidents } from "../../api";
import { withQuery } from "../../api/client";
import * as paths from "../../api/paths";
import type { IncidentInfo } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { Empty, Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { useFilters } from "../../lib/useFilters";
import { useAllowed } from "../../session";
import { IncidentCard } from "./IncidentCard";
import { SilenceDialog } from "./SilenceDialog";
import { SkipAllDialog } from "./SkipAllDialog";

type Asked = { what: "skip" | "silence"; incident: IncidentInfo };

/** What is wrong in a model: a card for each application, hook and reason. */
export function IncidentsPage() {
  const { model = "" } = useParams();
  const cache = useQueryClient();
  const [values, set] = useFilters(["silenced"]);
  const [asked, setAsked] = useState<Asked | null>(null);
  const mayWrite = useAllowed(model, "write");
  const all = values.silenced === "true";
  const found = useQuery({
    queryKey: ["incidents", model],
    queryFn: () => incidents.list(model),
    refetchInterval: 10_000,
  });
  const cli = command("incidents", "-m", model, all && "--all");
  const silenced = found.data?.filter((incident) => incident.silenced) ?? [];
  const shown = all ? found.data : found.data?.filter((incident) => !incident.silenced);
  // The number in the tab follows at once as well.
  const changed = (): void => {
    void found.refetch();
    void cache.invalidateQueries({ queryKey: ["loud-incidents", model] });
  };
  const close = (): void => {
    setAsked(null);
    changed();
  };
  return (
    <section className="section" aria-label="Incidents">
      <div className="filters-row">
        <label className="check">
          <input
            type="checkbox"
            checked={all}
            onChange={(event) => set("silenced", event.target.checked ? "true" : "")}
          />
          <span>Show silenced ({silenced.length})</span>
        </label>
        <CopyTools cli={cli} request={{ path: withQuery(paths.incidents(model), all ? {} : { silenced: false }) }} />
      </div>
      {found.isPending && <Loading what="the incidents" rows={6} />}
      {found.error && <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />}
      {shown?.length === 0 && (
        <Empty title="No incidents" cli={cli}>
          {silenced.length > 0
            ? "Everything that is wrong has been silenced."
            : "Failed hooks, blocked units, lost agents and broken machines appear here."}
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <ul className="incidents">
          {shown.map((incident) => (
            <li key={incident.id}>
              <IncidentCard
                model={model}
                incident={incident}
                mayWrite={mayWrite}
                onChanged={changed}
                onSkip={() => setAsked({ what: "skip", incident })}
                onSilence={() => setAsked({ what: "silence", incident })}
              />
            </li>
          ))}
        </ul>
      )}
      {asked?.what === "skip" && <SkipAllDialog model={model} incident={asked.incident} onClose={close} />}
      {asked?.what === "silence" && <SilenceDialog model={model} incident={asked.incident} onClose={close} />}
    </section>
  );
}
