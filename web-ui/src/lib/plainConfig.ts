/** Options of a model or of the controller, as the form takes them. */
import type { ApplicationConfig, ConfigChange, ConfigOption } from "../components/charts/types";
import type { ConfigSetting, ConfigSettings } from "../api/types";

const KINDS: Record<string, ConfigOption["type"]> = { boolean: "boolean", integer: "int" };

/** How the controller describes an option that it only takes. */
const IDLE = /without effect here/;

const isSecret = ({ type }: ConfigSetting): boolean => type === "secret";

/** `own` is the source of what was set here: a model also has what was set for all models. */
export function plainConfig(name: string, settings: ConfigSettings, own: "model" | "controller"): ApplicationConfig {
  const config: ApplicationConfig = {
    application: name,
    charm: "",
    schema: { options: {} },
    settings: {},
    effective: {},
  };
  for (const [key, setting] of Object.entries(settings)) {
    const { type, value, default: fallback, source, choices, description } = setting;
    config.schema.options[key] = {
      type: KINDS[type] ?? "string",
      kind: type,
      description,
      default: fallback ?? undefined,
      choices: choices?.length ? choices : undefined,
      "write-only": isSecret(setting),
      idle: IDLE.test(description),
    };
    if (source === own) config.settings[key] = value ?? "";
    if (value != null) config.effective[key] = value;
  }
  return config;
}

/** The change as it may stand on a screen: a secret comes from a file. */
export function withoutSecrets(settings: ConfigSettings, change: ConfigChange): ConfigChange {
  const set = Object.entries(change.set).map(([key, value]) => {
    const setting = settings[key];
    return [key, setting && isSecret(setting) ? "@FILE" : value];
  });
  return { ...change, set: Object.fromEntries(set) };
}
