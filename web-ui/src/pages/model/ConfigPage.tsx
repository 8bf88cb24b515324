import { useParams } from "react-router";
import { models } from "../../api";
import * as paths from "../../api/paths";
import type { ConfigChange } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { PlainConfig } from "../../components/PlainConfig";
import { command } from "../../lib/commands";
import { useAllowed } from "../../session";

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
        own="model"
        queryKey={["model-config", model]}
        read={() => models.config(model)}
        write={(change, tag) => models.setConfig(model, change, tag)}
        readOnly={!mayAdmin}
        cli={cli()}
        review={(change) => (
          <CommandHint cli={cli(change)} request={{ method: "PATCH", path, body: change }} />
        )}
      />
    </section>
  );
}
