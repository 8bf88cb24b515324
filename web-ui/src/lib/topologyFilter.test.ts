import { describe, expect, it } from "vitest";
import type { ApplicationInfo, RelationInfo } from "../api/types";
import { narrowedPicture } from "./topologyFilter";

const application = (name: string, status = "active"): ApplicationInfo =>
  ({ name, charm: "local:site-0", status: { status, message: "" } }) as unknown as ApplicationInfo;

const relation = (id: number, ...names: string[]): RelationInfo =>
  ({ id, endpoints: names.map((application) => ({ application })) }) as unknown as RelationInfo;

const ALL = [application("site"), application("front", "blocked"), application("db"), application("cache")];
const RELATIONS = [relation(1, "front", "site"), relation(2, "site", "db"), relation(3, "cache", "cache")];

const told = (wanted: { text?: string; statuses?: string[] }) => {
  const picture = narrowedPicture(ALL, RELATIONS, { text: "", statuses: [], ...wanted });
  return {
    fitting: [...picture.fitting],
    neighbours: [...picture.neighbours],
    relations: picture.relations.map(({ id }) => id),
  };
};

describe("a filter of the topology", () => {
  it("draws all when it is empty, and nobody is only a neighbour", () => {
    expect(told({})).toEqual({ fitting: ["site", "front", "db", "cache"], neighbours: [], relations: [1, 2, 3] });
  });

  it("keeps what has the name, with its neighbours and the relations between them", () => {
    expect(told({ text: "FRO" })).toEqual({ fitting: ["front"], neighbours: ["site"], relations: [1] });
  });

  it("does not reach beyond the neighbours, nor draw what is between two of them", () => {
    const triangle = [...RELATIONS, relation(4, "front", "db")];
    const { neighbours, relations } = narrowedPicture(ALL, triangle, { text: "front", statuses: [] });
    expect([...neighbours]).toEqual(["site", "db"]);
    expect(relations.map(({ id }) => id)).toEqual([1, 4]);
  });

  it("keeps those in one of the statuses, and counts the statuses of all that have the words", () => {
    expect(told({ statuses: ["blocked"] })).toEqual({ fitting: ["front"], neighbours: ["site"], relations: [1] });
    const { statuses } = narrowedPicture(ALL, RELATIONS, { text: "local:site", statuses: ["blocked"] });
    expect(statuses).toEqual(["active", "blocked", "active", "active"]);
  });

  it("does not call an application its own neighbour", () => {
    expect(told({ text: "cache" })).toEqual({ fitting: ["cache"], neighbours: [], relations: [3] });
  });

  it("finds nothing where nothing fits", () => {
    expect(told({ text: "nothing" })).toEqual({ fitting: [], neighbours: [], relations: [] });
  });
});
