/** A configuration without a schema, as the form takes it: every key of the type it has. */
import type { ApplicationConfig, ConfigKind, ConfigValue, ConfigValues } from "../api/types";

function kindOf(value: ConfigValue): ConfigKind {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return "string";
}

export function plainConfig(
  name: string,
  values: ConfigValues,
  descriptions: Record<string, string> = {},
): ApplicationConfig {
  const options = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      { type: kindOf(value), description: descriptions[key] ?? "" },
    ]),
  );
  return { application: name, charm: "", schema: { options }, settings: values, effective: values };
}
