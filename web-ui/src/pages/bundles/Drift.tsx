import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useParams } from "react-router";
import { bundles } from "../../api";
import { Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { applyText, differenceRows } from "../../lib/bundles";
import { toBundles } from "../../lib/to";
import { useModel } from "../../live/context";
import { DifferenceList } from "./DifferenceList";

/** How long an answer holds where nothing that the page hears of has changed. */
const HOLDS = 30_000;

/** What became of the model since a bundle was applied to it; asked again when the model changes. */
export function useDrift(model: string) {
  const { applications, relations } = useModel(model);
  const seen = useMemo(
    () =>
      JSON.stringify([
        applications.map(({ name, charm, channel, units, exposed, trust, constraints }) => [
          name,
          charm,
          channel,
          units.length,
          exposed,
          trust,
          constraints,
        ]),
        relations.map(({ key }) => key),
      ]),
    [applications, relations],
  );
  return useQuery({
    queryKey: ["bundle-drift", model, seen],
    queryFn: () => bundles.drift(model),
    placeholderData: (before) => before,
    refetchInterval: HOLDS,
  });
}

/** On the model's page: that it is not as it was applied. */
export function DriftNote() {
  const { model = "" } = useParams();
  const drift = useDrift(model).data;
  const count = drift?.apply ? differenceRows(drift.difference).length : 0;
  if (!drift?.apply || drift.apply.state === "running" || count === 0) return null;
  return (
    <div className="p-notification--information" role="note" aria-label="Drift">
      <div className="p-notification__content">
        <p className="p-notification__message">
          The model differs from the bundle that was applied <Time at={drift.apply["started-at"]} /> in {count}{" "}
          {count === 1 ? "point" : "points"}. <Link to={`${toBundles(model)}#drift`}>Show the differences</Link>
        </p>
      </div>
    </div>
  );
}

export function DriftSection({ model }: { model: string }) {
  const { data: drift, error, isPending, refetch } = useDrift(model);
  return (
    <section className="section" aria-label="Drift" id="drift">
      <h2 className="section__title">Drift since the last apply</h2>
      {isPending ? (
        <Loading what="what changed since the last apply" rows={2} />
      ) : !drift ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !drift.apply ? (
        <p className="muted">No bundle has been applied to this model yet.</p>
      ) : (
        <>
          <p>
            {drift.apply.name && <strong>{drift.apply.name} </strong>}
            {applyText(drift.apply)}, by {drift.apply.user}, <Time at={drift.apply["started-at"]} />.
            {drift.apply.message && <> {drift.apply.message}.</>}
          </p>
          <DifferenceList difference={drift.difference} caption="Differences since the last apply" />
        </>
      )}
    </section>
  );
}
