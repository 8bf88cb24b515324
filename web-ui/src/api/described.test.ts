/** Whatever the pages ask for is in the API's description: no path, method or parameter is made up. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as api from "./index";

interface Operation {
  parameters?: { name: string; in: string }[];
}

const { paths } = JSON.parse(
  readFileSync(new URL("../../../docs/reference/openapi.json", import.meta.url), "utf8"),
) as { paths: Record<string, Record<string, Operation>> };

/** Calls whose arguments are not all texts and numbers. */
const ARGUMENTS: Record<string, unknown[]> = {
  "audit.page": ["m", { user: "u", matching: "m", result: "ok", since: 1, until: 2, limit: 1, after: "a" }],
  "hooks.page": ["m", { unit: "site/0", application: "site", hook: "start", result: "ok", limit: 1, after: "a" }],
};

const argumentsOf = (name: string, call: Call): unknown[] =>
  ARGUMENTS[name] ?? Array.from({ length: call.length }, (_, place) => (name.startsWith("units.") && place === 1 ? "site/0" : "1"));

function operationOf(method: string, path: string): Operation | undefined {
  const found = Object.entries(paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  return found?.[1][method.toLowerCase()];
}

type Call = (...values: unknown[]) => Promise<unknown>;

const calls = Object.entries(api).flatMap(([resource, of]) =>
  typeof of === "object" ? Object.entries(of).map(([name, call]): [string, Call] => [`${resource}.${name}`, call as Call]) : [],
);

afterEach(() => vi.unstubAllGlobals());

describe("the API's description", () => {
  it("has every call of the pages", async () => {
    const asked: string[] = [];
    let current = "";
    const unknown: string[] = [];
    vi.stubGlobal("fetch", (address: string, { method = "GET" }: RequestInit) => {
      const { pathname, searchParams } = new URL(address, "https://controller");
      const operation = operationOf(method, pathname);
      asked.push(current);
      if (!operation) unknown.push(`${current}: ${method} ${pathname}`);
      const known = new Set(operation?.parameters?.filter((each) => each.in === "query").map(({ name }) => name));
      for (const name of searchParams.keys()) {
        if (operation && !known.has(name)) unknown.push(`${current}: ${method} ${pathname}?${name}`);
      }
      return Promise.resolve(new Response('{"items":[]}'));
    });
    for (const [name, call] of calls) {
      current = name;
      // Some answers cannot be read; what was asked is all that counts here.
      await call(...argumentsOf(name, call)).catch(() => {});
    }
    expect(unknown).toEqual([]);
    expect(new Set(asked).size).toBe(calls.length);
  });
});
