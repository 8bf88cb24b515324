import { lazy, Suspense, useMemo } from "react";
import { useNavigate } from "react-router";
import type { BundlePlan } from "../../api/types";
import { Loading } from "../../components/States";
import { plannedTopology } from "../../lib/bundles";
import { toApplication } from "../../lib/to";
import { useModel } from "../../live/context";
import { DifferenceList } from "./DifferenceList";

const Topology = lazy(() => import("../../components/charts/Topology"));

/** A dry run: what would be done, what differs, and the model as it would be. */
export function PlanView({ model, plan }: { model: string; plan: BundlePlan }) {
  const { applications, relations } = useModel(model);
  const navigate = useNavigate();
  const drawn = useMemo(() => plannedTopology(applications, relations, plan), [applications, relations, plan]);
  const count = plan.changes.length;
  return (
    <>
      <section className="section" aria-label="Plan">
        <h2 className="section__title">
          Plan <span className="section__count">{count}</span>
        </h2>
        {count === 0 ? (
          <p role="status">The model has all of the bundle; there is nothing to do.</p>
        ) : (
          <>
            <p role="status">
              {count} {count === 1 ? "change" : "changes"}, none made yet.
            </p>
            <ol className="bundle-changes">
              {plan.changes.map(({ words }, index) => (
                <li key={`${index} ${words}`}>{words}</li>
              ))}
            </ol>
          </>
        )}
        {plan.ignored.length > 0 && (
          <p className="muted">Ignored, since it has no effect here: {plan.ignored.join(", ")}</p>
        )}
      </section>
      <section className="section" aria-label="Differences">
        <h2 className="section__title">Differences</h2>
        <DifferenceList difference={plan.difference} caption="Differences between the bundle and the model" />
      </section>
      {drawn.applications.length > 0 && (
        <section className="section" aria-label="Planned topology">
          <h2 className="section__title">The resulting model</h2>
          <Suspense fallback={<Loading what="the topology" rows={8} />}>
            <Topology
              applications={drawn.applications}
              relations={drawn.relations}
              onOpen={(name) => void navigate(toApplication(model, name))}
              label="The model as the bundle would leave it"
            />
          </Suspense>
        </section>
      )}
    </>
  );
}
