/** Whatever the pages ask for is in the API's description: no path, method or parameter is made up. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { logAddress } from "../live/lines";
import { undescribed } from "./described";
import * as api from "./index";
import * as paths from "./paths";
import { uploadCharm, uploadResource } from "./upload";

/** Calls whose arguments are not all texts and numbers. */
const ARGUMENTS: Record<string, unknown[]> = {
  "applications.remove": ["m", "site", true, true],
  "audit.page": ["m", { user: "u", matching: "m", result: "ok", kind: "change", since: 1, until: 2, limit: 1, after: "a" }],
  "machines.add": ["m", 2, "mem=4G"],
  "machines.remove": ["m", "0", true, true],
  "models.destroy": ["m", true, false],
  "units.remove": ["m", "site/0", true, true],
  "hooks.page": ["m", { unit: "site/0", application: "site", hook: "start", result: "ok", since: 1, until: 2, limit: 1, after: "a" }],
  "timeline.page": ["m", { from: "f", to: "t", kinds: "hook", application: "site", limit: 1, after: "a" }],
  "operations.page": ["m", { units: "site/0", applications: "site", actions: "rebuild", status: "failed", limit: 1, after: "a" }],
  "storage.add": ["m", "site/0", { storage: "data", asked: {} }],
  "storage.attach": ["m", "data/0", "site/0"],
  "storage.detach": ["m", "data/0", false],
  "storage.remove": ["m", "data/0", true, true],
  "tasks.show": ["m", 1, { lines: 1, wait: 1 }],
};

const argumentsOf = (name: string, call: Call): unknown[] =>
  ARGUMENTS[name] ?? Array.from({ length: call.length }, (_, place) => (name.startsWith("units.") && place === 1 ? "site/0" : "1"));

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
      asked.push(current);
      unknown.push(...undescribed(method, address).map((what) => `${current}: ${what}`));
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

  it("has the streams", () => {
    const filter = { include: "a", exclude: "b", level: "INFO", "include-module": "c", "exclude-module": "d", tail: 1, from: "f", to: "t" };
    const addresses = [paths.events(null), paths.events("m"), logAddress("m", filter)];
    expect(addresses.flatMap((address) => undescribed("GET", address))).toEqual([]);
  });

  it("has the uploads of a charm and of a resource", () => {
    const asked: string[][] = [];
    class Request {
      upload = {};
      open(method: string, address: string) {
        asked.push([method, address]);
      }
      setRequestHeader() {}
      send() {}
    }
    vi.stubGlobal("XMLHttpRequest", Request);
    void uploadCharm("m", { name: "site.charm", size: 1 } as File, () => {});
    const of = { model: "m", application: "site", resource: "theme" };
    void uploadResource(of, { name: "theme.css", size: 1 } as File, () => {});
    expect(asked).toEqual([
      ["POST", "/v1/models/m/charms?name=site.charm"],
      ["PUT", "/v1/models/m/applications/site/resources/theme"],
    ]);
    expect(asked.flatMap(([method = "", address = ""]) => undescribed(method, address))).toEqual([]);
  });

  it("has no probe: what watches the process asks beside the API", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", (address: string) => {
      asked.push(address);
      return Promise.resolve(new Response('{"status":"ok","checks":[]}'));
    });
    for (const path of ["/health", "/ready"] as const) await api.probe(path);
    expect(asked).toEqual(["/health", "/ready"]);
    expect(asked.filter((address) => address.startsWith("/v1"))).toEqual([]);
  });
});
