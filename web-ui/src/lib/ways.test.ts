import { describe, expect, it } from "vitest";
import type { Reachability, RelationInfo, ServiceInfo, UnitReach } from "../api/types";
import { foundByName, insideWays, openUnits, outsideWays, portsOfRelation, shows } from "./ways";

const unit = (more: Partial<UnitReach>): UnitReach => ({
  open: [],
  "reached-by": [],
  "exposed-to": {},
  listening: [],
  "not-listening": [],
  ...more,
});

const by = (application: string, endpoint: string, ports: string[]) => ({
  application,
  endpoint,
  "within-container": false,
  ports,
});

const reach = (units: Record<string, UnitReach>, mode = "relations"): Reachability => ({ mode, units });

describe("who reaches whom", () => {
  it("from outside says of each range where it listens and why it does not", () => {
    const of = unit({
      "exposed-to": { "8080-8081/tcp": ["10.0.0.0/8"], "80/tcp": ["0.0.0.0/0", "::/0"] },
      listening: [
        { port: "80/tcp", address: "127.77.0.1:10080" },
        { port: "8081/tcp", address: "127.77.0.1:8081" },
      ],
      "not-listening": [
        { port: "8080/tcp", reason: "it is taken" },
        { port: "8080/udp", reason: "not passed on" },
      ],
    });
    expect(outsideWays(reach({ "site/10": unit({ "exposed-to": { "80/tcp": [] } }), "site/9": of }))).toEqual([
      { unit: "site/9", ports: "80/tcp", from: "everybody", listening: ["127.77.0.1:10080"], silent: [] },
      {
        unit: "site/9",
        ports: "8080-8081/tcp",
        from: "10.0.0.0/8",
        listening: ["127.77.0.1:8081"],
        silent: [{ port: "8080/tcp", reason: "it is taken" }],
      },
      { unit: "site/10", ports: "80/tcp", from: "", listening: [], silent: [] },
    ]);
  });

  it("inside is one row for all units that are reached alike", () => {
    const alike = unit({ "reached-by": [by("front", "website", ["80/tcp"])] });
    const other = unit({ "reached-by": [by("front", "website", ["80/tcp", "90/tcp"])] });
    const rows = insideWays(reach({ "site/0": alike, "site/1": alike, "site/2": other }));
    expect(rows.map(({ units, ports }) => [units, ports])).toEqual([
      [["site/0", "site/1"], ["80/tcp"]],
      [["site/2"], ["80/tcp", "90/tcp"]],
    ]);
  });

  it("is everybody in the model where the model's option says so", () => {
    const open = unit({ open: [{ ports: "80/tcp", endpoints: [] }] });
    expect(openUnits(reach({ "site/0": open, "front/0": unit({}) }, "model"))).toEqual([
      { unit: "site/0", ports: ["80/tcp"] },
    ]);
    expect(openUnits(reach({ "site/0": open }))).toEqual([]);
  });

  it("stands beside the relation by which it flows", () => {
    const relation = (...ends: [string, string][]): RelationInfo =>
      ({ endpoints: ends.map(([application, name]) => ({ application, name, role: "" })) }) as RelationInfo;
    const found = reach({
      "site/0": unit({ "reached-by": [by("front", "website", ["80/tcp"]), by("site", "ring", ["7000/tcp"])] }),
      "front/0": unit({ "reached-by": [by("site", "website", ["99/tcp"])] }),
    });
    expect(portsOfRelation(found, relation(["front", "website"], ["site", "website"]))).toEqual(["99/tcp", "80/tcp"]);
    expect(portsOfRelation(found, relation(["site", "ring"]))).toEqual(["7000/tcp"]);
    expect(portsOfRelation(found, relation(["front", "admin"], ["site", "admin"]))).toEqual([]);
    expect(shows([unit({}), undefined])).toBe(false);
    expect(shows([unit({ "exposed-to": { "80/tcp": [] } })])).toBe(true);
  });

  it("by the unit's name is the running service with the lowest open port", () => {
    const service = (name: string, port: number | null, current = "active"): ServiceInfo =>
      ({ name, port, current }) as ServiceInfo;
    const [admin, web, worker] = [service("admin", 8080), service("web", 80), service("worker", null)];
    expect(foundByName([worker, admin, web], ["80/tcp", "8000-9000/tcp"])).toBe(web);
    expect(foundByName([worker, admin, service("web", 80, "failed")], ["80/tcp", "8000-9000/tcp"])).toBe(admin);
    expect(foundByName([worker, admin, web], ["8080/tcp"])).toBe(admin);
    expect(foundByName([worker, admin, web], ["80/udp"])).toBeUndefined();
  });
});
