import { controller } from "../../api";
import type { ConfigChange } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { PlainConfig } from "../../components/PlainConfig";
import { command } from "../../lib/commands";

function cli(change: ConfigChange): string {
  const settings = Object.entries(change.set).map(([key, value]) => `${key}=${String(value)}`);
  const reset = change.reset.length > 0 ? ["--reset", change.reset.join(",")] : [];
  return command("controller-config", ...settings, ...reset);
}

export function ControllerSettings() {
  return (
    <PlainConfig
      name="controller"
      own="controller"
      queryKey={["controller-config"]}
      read={controller.config}
      write={controller.setConfig}
      readOnly={false}
      cli="periapt controller-config"
      review={(change) => (
        <CommandHint
          cli={cli(change)}
          request={{ method: "PATCH", path: "/v1/controller/config", body: change }}
        />
      )}
    />
  );
}
