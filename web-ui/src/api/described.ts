/** For tests: what of a request the API's description does not know. */
import { readFileSync } from "node:fs";

interface Operation {
  parameters?: { name: string; in: string }[];
}

const { paths } = JSON.parse(
  readFileSync(new URL("../../../docs/reference/openapi.json", import.meta.url), "utf8"),
) as { paths: Record<string, Record<string, Operation>> };

/** Its path and method, or its parameters; nothing where all of it is described. */
export function undescribed(method: string, address: string): string[] {
  const { pathname, searchParams } = new URL(address, "https://controller");
  const found = Object.entries(paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
  );
  const operation = found?.[1][method.toLowerCase()];
  if (!operation) return [`${method} ${pathname}`];
  const known = new Set(operation.parameters?.filter((each) => each.in === "query").map(({ name }) => name));
  return [...searchParams.keys()].filter((name) => !known.has(name)).map((name) => `${method} ${pathname}?${name}`);
}
