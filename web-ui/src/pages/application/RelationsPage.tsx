import { useState } from "react";
import { useParams } from "react-router";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { relationsOf } from "../../lib/relations";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { IntegrateDialog } from "../relations/IntegrateDialog";
import { RelationTable } from "../relations/RelationTable";

export function ApplicationRelationsPage() {
  const { model = "", application = "" } = useParams();
  const own = relationsOf(useModel(model).relations, application);
  const mayWrite = useAllowed(model, "write");
  const [integrating, setIntegrating] = useState(false);
  const integrate = mayWrite && (
    <button type="button" className="p-button" onClick={() => setIntegrating(true)}>
      Integrate
    </button>
  );
  return (
    <section className="section" aria-label="Relations">
      {own.length > 0 ? (
        <RelationTable model={model} relations={own} from={application} caption={`Relations of ${application}`} />
      ) : (
        <Empty
          title={`${application} has no relations`}
          cli={command("integrate", "-m", model, application, "APPLICATION")}
          action={integrate}
        >
          Integrate it with an application that speaks one of its interfaces.
        </Empty>
      )}
      {integrating && (
        <IntegrateDialog model={model} from={application} onClose={() => setIntegrating(false)} />
      )}
    </section>
  );
}
