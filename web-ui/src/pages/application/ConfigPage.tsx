import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { ConfigChange } from "../../api/types";
import { ConfigForm } from "../../components/charts";
import { CommandHint } from "../../components/Commands";
import { Empty, Failure, Loading } from "../../components/States";
import { command, configCommand } from "../../lib/commands";
import { configErrors, errorText } from "../../lib/configErrors";
import { useAct } from "../../lib/useAct";
import { useAllowed } from "../../session";
import { ApplicationTerms } from "../terms/Terms";

export function ApplicationConfigPage() {
  return (
    <>
      <Options />
      <ApplicationTerms />
    </>
  );
}

function Options() {
  const { model = "", application = "" } = useParams();
  const queries = useQueryClient();
  const mayWrite = useAllowed(model, "write");
  const [applied, setApplied] = useState(false);
  const queryKey = ["application", application, "config", model];
  const config = useQuery({ queryKey, queryFn: () => applications.config(model, application) });
  const apply = useAct(
    (change: ConfigChange) =>
      applications.setConfig(model, application, change, config.data?.tag ?? null),
    () => {
      setApplied(true);
      void queries.invalidateQueries({ queryKey });
    },
  );
  const cli = command("config", "-m", model, application);
  if (config.isPending) return <Loading what="the configuration" />;
  if (config.error) return <Failure error={config.error} cli={cli} onRetry={() => void config.refetch()} />;
  const { value } = config.data;
  if (Object.keys(value.schema.options).length === 0) {
    return <Empty title="This charm has no options">A charm declares its options in config.yaml.</Empty>;
  }
  return (
    <section className="section" aria-label="Configuration">
      <p role="status" className="muted">
        {applied && !apply.busy && apply.error == null
          ? "Applied. The units run config-changed."
          : `Options of ${value.charm}. Review changes before they apply.`}
      </p>
      <ConfigForm
        config={value}
        readOnly={!mayWrite}
        busy={apply.busy}
        error={errorText(apply.error)}
        fieldErrors={configErrors(apply.error)}
        onDirtyChange={(dirty) => {
          if (dirty) setApplied(false);
        }}
        onApply={async (change) => {
          await apply.runAsync(change);
        }}
        review={(change) => (
          <CommandHint
            cli={configCommand(model, application, change)}
            request={{
              method: "PATCH",
              path: `${paths.application(model, application)}/config`,
              body: change,
            }}
          />
        )}
      />
      {apply.error != null && (
        <button
          type="button"
          className="p-button"
          onClick={() => {
            apply.reset();
            void config.refetch();
          }}
        >
          Reload the values
        </button>
      )}
    </section>
  );
}
