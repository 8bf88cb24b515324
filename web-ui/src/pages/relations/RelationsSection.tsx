import { type ReactNode, useState } from "react";
import type { RelationInfo } from "../../api/types";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { useAllowed } from "../../session";
import { IntegrateDialog } from "./IntegrateDialog";
import { RelationTable } from "./RelationTable";

interface Properties {
  model: string;
  relations: RelationInfo[];
  /** The application whose relations these are; those of the whole model without it. */
  from?: string;
}

/**
 * The relations of a model or of one application, or the way to the first. The dialog belongs to
 * the section: it stays open when the first relation comes from elsewhere meanwhile. With relations
 * there, an application's button stands with its other actions at the head of the page.
 */
export function RelationsSection({ model, relations, from }: Properties) {
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
          {!from && (
            <div className="section__head">
              <h2 className="section__title">
                Relations <span className="section__count">{relations.length}</span>
              </h2>
              {integrate}
            </div>
          )}
          <RelationTable
            model={model}
            relations={relations}
            from={from}
            caption={`Relations of ${from ?? model}`}
          />
        </>
      ) : (
        <Nothing model={model} from={from} action={integrate} />
      )}
      {integrating && <IntegrateDialog model={model} from={from} onClose={() => setIntegrating(false)} />}
    </section>
  );
}

function Nothing({ model, from, action }: { model: string; from?: string; action: ReactNode }) {
  const some = "APPLICATION:ENDPOINT";
  return from ? (
    <Empty
      title={`${from} has no relations`}
      cli={command("integrate", "-m", model, from, "APPLICATION")}
      action={action}
    >
      Integrate it with an application that has one of its interfaces.
    </Empty>
  ) : (
    <Empty title="No relations" cli={command("integrate", "-m", model, some, some)} action={action}>
      A relation lets the units of two applications see each other's settings.
    </Empty>
  );
}
