import { useState } from "react";
import { useParams } from "react-router";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { IntegrateDialog } from "./IntegrateDialog";
import { RelationTable } from "./RelationTable";

/** Every relation of a model. */
export function ModelRelationsPage() {
  const { model = "" } = useParams();
  const { relations } = useModel(model);
  const mayWrite = useAllowed(model, "write");
  const [integrating, setIntegrating] = useState(false);
  const integrate = mayWrite && (
    <button type="button" className="p-button" onClick={() => setIntegrating(true)}>
      Integrate
    </button>
  );
  return (
    <section className="section" aria-label="Relations">
      {relations.length > 0 ? (
        <>
          <div className="section__head">
            <h2 className="section__title">
              Relations <span className="section__count">{relations.length}</span>
            </h2>
            {integrate}
          </div>
          <RelationTable
            model={model}
            relations={relations.toSorted((a, b) => a.id - b.id)}
            caption={`Relations of ${model}`}
          />
        </>
      ) : (
        <Empty
          title="No relations"
          cli={command("integrate", "-m", model, "APPLICATION:ENDPOINT", "APPLICATION:ENDPOINT")}
          action={integrate}
        >
          A relation lets the units of two applications see one another's settings.
        </Empty>
      )}
      {integrating && <IntegrateDialog model={model} onClose={() => setIntegrating(false)} />}
    </section>
  );
}
