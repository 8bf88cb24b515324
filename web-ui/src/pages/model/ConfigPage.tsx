import { useParams } from "react-router";
import { models } from "../../api";
import * as paths from "../../api/paths";
import type { ConfigChange } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { PlainConfig } from "../../components/PlainConfig";
import { command } from "../../lib/commands";
import { useAllowed } from "../../session";

const DESCRIPTIONS: Record<string, string> = {
  "automatically-retry-hooks": "Whether a failed hook is run again by itself, each time later",
  "force-wait": "How long a forced removal waits for each step (5m, 1h30m)",
  "removal-deadline": "How long any other removal waits before it goes on by force (24h; 0s for ever)",
  "logging-config": "Levels by module: <root>=INFO;unit=DEBUG",
  "max-status-history-age": "Statuses older than this are removed",
  "max-status-history-size": "The status history is kept below this size (512M, 5G)",
  "max-action-results-age": "Results of actions older than this are removed",
  "max-action-results-size": "Results of actions are kept below this size",
  "update-status-hook-interval": "How often update-status runs",
};

export function ModelConfigPage() {
  const { model = "" } = useParams();
  const mayAdmin = useAllowed(model, "admin");
  const path = `${paths.model(model)}/config`;
  const cli = (change?: ConfigChange): string =>
    command(
      "model-config",
      "-m",
      model,
      ...Object.entries(change?.set ?? {}).map(([key, value]) => `${key}=${String(value)}`),
      ...(change && change.reset.length > 0 ? ["--reset", change.reset.join(",")] : []),
    );
  return (
    <section className="section" aria-label="Model configuration">
      <CopyTools cli={cli()} request={{ path }} />
      <PlainConfig
        name={model}
        queryKey={["model-config", model]}
        read={() => models.config(model)}
        write={(change, tag) => models.setConfig(model, change, tag)}
        descriptions={DESCRIPTIONS}
        readOnly={!mayAdmin}
        cli={cli()}
        review={(change) => (
          <CommandHint cli={cli(change)} request={{ method: "PATCH", path, body: change }} />
        )}
      />
    </section>
  );
}
