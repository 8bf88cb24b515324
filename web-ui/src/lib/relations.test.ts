import { describe, expect, it } from "vitest";
import type { ApplicationInfo, CharmInfo, RelationInfo, UnitInfo, UnitRelation } from "../api/types";
import { containersOf, sidesOfRelation, sidesSeen, unitsToAsk } from "./bags";
import { nest } from "./nesting";
import {
  applicationOf,
  offers,
  relationsOf,
  seenFrom,
  sideName,
  sidesOf,
  subordinatesOf,
  unitsGoingWith,
  unsupported,
} from "./relations";
import { timeText } from "../components/charts/time";

const http = { interface: "http", scope: "global", optional: false } as const;
const info = { interface: "juju-info", scope: "container", optional: false } as const;

function charm(name: string, metadata: Partial<CharmInfo["metadata"]>): CharmInfo {
  const subordinate = metadata.subordinate ?? false;
  return {
    url: `local:${name}-0`,
    name,
    subordinate,
    metadata: { name, summary: "", description: "", subordinate, ...metadata },
  } as CharmInfo;
}

const CHARMS = [
  charm("site", { provides: { website: { ...http, limit: 2 } }, peers: { ring: http } }),
  charm("front", { requires: { website: http } }),
  charm("shipper", { subordinate: true, requires: { logs: info } }),
  charm("guest", { requires: { host: { interface: "http", scope: "container", optional: false } } }),
];

const application = (name: string, of = name, life = "alive"): ApplicationInfo =>
  ({ name, charm: `local:${of}-0`, life }) as ApplicationInfo;

const APPLICATIONS = ["site", "front", "shipper"].map((name) => application(name));

let last = 0;
function relation(requirer: string, provider: string, more: Partial<RelationInfo> = {}): RelationInfo {
  const ends = [requirer, provider].map((text, index) => {
    const [application = "", name = ""] = text.split(":");
    return { application, name, role: index === 0 ? "requirer" : "provider" };
  });
  last += 1;
  return {
    id: last,
    key: `${requirer} ${provider}`,
    interface: "http",
    scope: "global",
    endpoints: ends,
    life: "alive",
    status: { status: "joined", message: "", since: timeText(0) },
    suspended: false,
    "created-at": timeText(0),
    "waiting-for": [],
    ...more,
  };
}

const unit = (name: string, principal: string | null = null): UnitInfo =>
  ({ name, application: applicationOf(name), life: "alive", principal }) as UnitInfo;

const written = (found: ReturnType<typeof offers>): string[] =>
  found.flatMap(({ mine, others }) => others.map((other) => `${sideName(mine)} ${sideName(other)}`));

describe("endpoints", () => {
  it("of a principal include juju-info, of a subordinate and of peers none", () => {
    expect(CHARMS.slice(0, 3).map((each) => sidesOf("a", each).map(({ name }) => name))).toEqual([
      ["website", "juju-info"],
      ["website", "juju-info"],
      ["logs"],
    ]);
  });

  it("fit when one requires what the other provides, declared ones first", () => {
    expect(written(offers(APPLICATIONS, CHARMS, [], "site"))).toEqual([
      "site:website front:website",
      "site:juju-info shipper:logs",
    ]);
    expect(written(offers(APPLICATIONS, CHARMS, [], "shipper"))).toEqual([
      "shipper:logs front:juju-info",
      "shipper:logs site:juju-info",
    ]);
    expect(offers(APPLICATIONS, CHARMS, []).map(({ mine }) => sideName(mine))).toEqual([
      "front:website",
      "shipper:logs",
      "site:website",
      "front:juju-info",
      "site:juju-info",
    ]);
  });

  it("within a container want a subordinate", () => {
    expect(written(offers([application("site"), application("guest")], CHARMS, [], "guest"))).toEqual([]);
  });

  it("are not offered twice, nor beyond their limit, nor when their application goes", () => {
    const fronts = ["a", "b", "c"].map((name) => application(name, "front"));
    const all = [application("site"), ...fronts];
    const one = relation("a:website", "site:website");
    expect(written(offers(all, CHARMS, [one], "site"))).toEqual([
      "site:website b:website",
      "site:website c:website",
    ]);
    expect(offers(all, CHARMS, [one, relation("b:website", "site:website")], "c")).toEqual([]);
    expect(offers([application("site", "site", "dying"), ...fronts], CHARMS, [], "a")).toEqual([]);
  });
});

describe("relations", () => {
  it("are seen from either side, and by peers from the one they have", () => {
    const global = relation("front:website", "site:website");
    expect(seenFrom(global, "site")?.other.application).toBe("front");
    expect(seenFrom(global, "other")).toBeNull();
    const peers = { ...global, endpoints: [{ application: "site", name: "ring", role: "peer" }] };
    expect(seenFrom(peers, "site")?.other.name).toBe("ring");
    expect(relationsOf([global, peers], "front")).toEqual([global]);
  });

  it("within a container hold its subordinate units", () => {
    const units = [unit("site/0"), unit("site/1"), unit("shipper/0", "site/0"), unit("shipper/1", "site/1"), unit("front/0"), unit("shipper/2", "front/0")];
    const [toSite, toFront] = ["site", "front"].map((name) =>
      relation("shipper:logs", `${name}:juju-info`, { scope: "container" }),
    ) as [RelationInfo, RelationInfo];
    const website = relation("front:website", "site:website");
    const relations = [toSite, toFront, website];
    expect(unsupported(units, relations)).toEqual([]);
    expect(unitsGoingWith([toSite], units, relations)).toEqual(["shipper/0", "shipper/1"]);
    expect(unitsGoingWith([website], units, relations)).toEqual([]);
    const second = relation("shipper:more", "site:juju-info", { scope: "container" });
    expect(unitsGoingWith([toSite], units, [...relations, second])).toEqual([]);
    expect(subordinatesOf(new Set(["site/1"]), units)).toEqual(["shipper/1"]);
  });

  it("between subordinates do not hold both of them", () => {
    const units = [unit("site/0"), unit("s/0", "site/0"), unit("t/0", "site/0")];
    const anchor = relation("s:logs", "site:juju-info", { scope: "container" });
    const pair = relation("t:side", "s:side", { scope: "container" });
    expect(unitsGoingWith([anchor], units, [anchor, pair])).toEqual(["s/0", "t/0"]);
    expect(unitsGoingWith([pair], units, [anchor, pair])).toEqual(["t/0"]);
  });
});

describe("units", () => {
  it("stand under their principal, and by themselves where it is not listed", () => {
    const units = [unit("shipper/10", "site/1"), unit("shipper/9", "site/1"), unit("shipper/0", "site/0"), unit("site/1")];
    expect(nest(units).map(({ unit: { name }, depth }) => `${depth} ${name}`)).toEqual([
      "0 shipper/0",
      "0 site/1",
      "1 shipper/9",
      "1 shipper/10",
    ]);
  });
});

describe("settings", () => {
  const seen = (id: number, more: Partial<UnitRelation>): UnitRelation => ({
    "relation-id": id,
    endpoint: "website",
    "related-endpoint": "website",
    "related-application": "front",
    "application-data": { theirs: "1" },
    "local-application-data": { ours: "2" },
    "local-unit": { "in-scope": true, data: { port: "80" } },
    "related-units": {
      "front/10": { "in-scope": true, data: {} },
      "front/9": { "in-scope": false, data: { seen: "yes" } },
    },
    ...more,
  });

  it("stand by side, the unit's own first", () => {
    const sides = sidesSeen("site/0", seen(1, {}));
    expect(sides.map(({ application, data, units }) => [application, data, units.map(({ name }) => name)])).toEqual([
      ["site", { ours: "2" }, ["site/0"]],
      ["front", { theirs: "1" }, ["front/9", "front/10"]],
    ]);
  });

  it("of peers stand on one side", () => {
    const peers = seen(1, {
      "related-application": "site",
      "related-units": { "site/1": { "in-scope": true, data: {} } },
    });
    const sides = sidesSeen("site/2", peers);
    expect(sides).toHaveLength(1);
    expect(sides[0]?.units.map(({ name }) => name)).toEqual(["site/1", "site/2"]);
  });

  it("of a relation come from one unit of each side", () => {
    const link = relation("front:website", "site:website");
    const units = [unit("site/1"), unit("site/0"), unit("front/9")];
    expect(unitsToAsk(link, units, null)).toEqual(["front/9", "site/0"]);
    const asked = [
      { ...unit("site/0"), relations: [seen(link.id, {})] },
      {
        ...unit("front/9"),
        relations: [
          seen(link.id, {
            "related-application": "site",
            "application-data": { ours: "2" },
            "local-application-data": { theirs: "1" },
            "related-units": {
              "site/0": { "in-scope": true, data: { port: "80" } },
              "site/1": { "in-scope": true, data: { port: "81" } },
            },
          }),
        ],
      },
    ];
    const [front, site] = sidesOfRelation(link, asked);
    expect(front?.units.map(({ name }) => name)).toEqual(["front/9", "front/10"]);
    expect(site?.units.map(({ data }) => data)).toEqual([{ port: "80" }, { port: "81" }]);
    expect(site?.data).toEqual({ ours: "2" });
  });

  it("within a container are those of that container", () => {
    const link = relation("shipper:logs", "site:juju-info", { scope: "container" });
    const units = [unit("site/0"), unit("site/1"), unit("shipper/7", "site/1"), unit("front/0"), unit("shipper/1", "front/0")];
    expect(containersOf(link, units)).toEqual(["site/1"]);
    expect(unitsToAsk(link, units, "site/1")).toEqual(["shipper/7", "site/1"]);
  });
});
