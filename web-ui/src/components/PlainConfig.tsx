/** The configuration of a model or of the controller: read with its tag, written with it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ConfigChange, ConfigSettings } from "../api/types";
import { configErrors, errorText } from "../lib/configErrors";
import { plainConfig, withoutSecrets } from "../lib/plainConfig";
import { useAct } from "../lib/useAct";
import { ConfigForm } from "./charts";
import { Failure, Loading } from "./States";

interface Properties {
  name: string;
  /** The source of what was set here. */
  own: "model" | "controller";
  queryKey: unknown[];
  read: () => Promise<{ value: ConfigSettings; tag: string | null }>;
  write: (change: ConfigChange, tag: string | null) => Promise<ConfigSettings>;
  readOnly: boolean;
  cli: string;
  /** The change as commands; secrets stand in it by a placeholder. */
  review: (change: ConfigChange) => ReactNode;
}

export function PlainConfig(properties: Properties) {
  const { name, own, queryKey, read, write, readOnly, cli, review } = properties;
  const queries = useQueryClient();
  const config = useQuery({ queryKey, queryFn: read });
  const apply = useAct(
    (change: ConfigChange) => write(change, config.data?.tag ?? null),
    () => void queries.invalidateQueries({ queryKey }),
  );
  if (config.isPending) return <Loading what="the configuration" />;
  if (config.error) return <Failure error={config.error} cli={cli} onRetry={() => void config.refetch()} />;
  return (
    <ConfigForm
      config={plainConfig(name, config.data.value, own)}
      readOnly={readOnly}
      busy={apply.busy}
      error={errorText(apply.error)}
      fieldErrors={configErrors(apply.error)}
      onApply={async (change) => {
        await apply.runAsync(change);
      }}
      review={(change) => review(withoutSecrets(config.data.value, change))}
    />
  );
}
