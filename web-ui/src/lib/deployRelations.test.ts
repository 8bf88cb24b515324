import { describe, expect, it } from "vitest";
import type { CharmInfo, RelationInfo } from "../api/types";
import { endpointsOf, hasRoom, integrateAll, possibleRelations } from "./deployRelations";

type Ends = Record<string, { interface: string; scope: string; limit?: number }>;
const http = (limit?: number) => ({ interface: "http", scope: "global", ...(limit !== undefined && { limit }) });

function charm(name: string, provides: Ends, requires: Ends, subordinate = false): CharmInfo {
  return { url: `local:${name}-0`, metadata: { provides, requires, subordinate } } as unknown as CharmInfo;
}

const SITE = charm("site", { website: http() }, {});
const FRONT = charm("front", {}, { website: http(1) });
const SHIPPER = charm("shipper", {}, { logs: { interface: "juju-info", scope: "container" } }, true);
const CHARMS = [SITE, SHIPPER];
const application = (name: string, from: string, life: "alive" | "dying" = "alive") => ({ name, charm: `local:${from}-0`, life });
const MODEL = [application("blog", "site"), application("shop", "site"), application("old", "site", "dying"), application("shipper", "shipper")];

const keys = (found: ReturnType<typeof possibleRelations>): string[] => found.map(({ key }) => key);

describe("relations of an application that is yet to be deployed", () => {
  it("are those with the same interface and the other role, declared ones first, also of a charm that the model has not yet", () => {
    expect(keys(possibleRelations(FRONT, MODEL, CHARMS, []))).toEqual(["website blog:website", "website shop:website", "juju-info shipper:logs"]);
    expect(keys(possibleRelations(SHIPPER, MODEL.slice(0, 2), CHARMS, []))).toEqual(["logs blog:juju-info", "logs shop:juju-info"]);
    expect(possibleRelations(SITE, MODEL.slice(0, 3), CHARMS, [])).toEqual([]);
  });

  it("have the name that is typed, whatever it was when they were chosen", () => {
    const [first] = possibleRelations(FRONT, MODEL, CHARMS, []);
    expect(first && endpointsOf(first, "door")).toEqual(["door:website", "blog:website"]);
  });

  it("are not chosen beyond the limit of an endpoint, on either side", () => {
    const [blog, shop, logs] = possibleRelations(FRONT, MODEL, CHARMS, []);
    if (!blog || !shop || !logs) throw new Error("other relations are possible");
    expect(hasRoom(blog, [], [])).toBe(true);
    expect(hasRoom(blog, [blog], [])).toBe(true);
    expect(hasRoom(shop, [blog], [])).toBe(false);
    expect(hasRoom(logs, [blog], [])).toBe(true);
    const narrow = charm("narrow", { website: http(1) }, {});
    const there = { endpoints: [{ application: "tight", name: "website" }, { application: "x", name: "website" }] } as RelationInfo;
    expect(possibleRelations(FRONT, [application("tight", "narrow")], [narrow], [there])).toEqual([]);
  });
});

describe("integrating after a deploy", () => {
  it("goes on after a refusal, and tells each", async () => {
    const asked: string[] = [];
    const refused = await integrateAll([["a:x", "b:x"], ["a:y", "c:y"], ["a:z", "d:z"]], ([one]) => {
      asked.push(one);
      return one === "a:y" ? Promise.reject(new Error("no room")) : Promise.resolve();
    });
    expect(asked).toEqual(["a:x", "a:y", "a:z"]);
    expect(refused).toEqual([{ endpoints: ["a:y", "c:y"], error: new Error("no room") }]);
  });
});
