import { describe, expect, it } from "vitest";
import type { ModelSummary } from "../api/types";
import { groupedModels, matchingModels, orderedModels } from "./modelOrder";

const model = (name: string, owner: string, units: number, day: number, trouble = 0) => ({
  model: { name, owner, units, "created-at": `2026-11-0${day}T00:00:00Z` },
  trouble,
});

const ALL = [model("shop-10", "bob", 1, 3), model("shop-9", "ada", 5, 1, 2), model("blog", "bob", 5, 2)];

const names = (order: string): string[] => orderedModels(ALL, order).map(({ model }) => model.name);

describe("models", () => {
  it("are ordered by what needs a person where the address names no order, or one that is not known", () => {
    expect(names("")).toEqual(["shop-9", "blog", "shop-10"]);
    expect(names("colour")).toEqual(names(""));
  });

  it.each([
    ["name", ["blog", "shop-9", "shop-10"]],
    ["owner", ["shop-9", "blog", "shop-10"]],
    ["units", ["blog", "shop-9", "shop-10"]],
    ["newest", ["shop-10", "blog", "shop-9"]],
  ])("are ordered by %s, and by name where that is the same", (order, wanted) => {
    expect(names(order)).toEqual(wanted);
  });
});

const placed = (name: string, more: { owner?: string; cloud?: string; life?: ModelSummary["life"]; message?: string; trouble?: number } = {}) => ({
  model: {
    name,
    owner: more.owner ?? "ada",
    cloud: more.cloud ?? "local",
    region: "default",
    life: more.life ?? ("alive" as const),
    status: { status: "available" as const, message: more.message ?? "" },
  },
  trouble: more.trouble ?? 0,
});

describe("the filter of models", () => {
  const all = [placed("shop", { message: "moving house" }), placed("shop-2", { owner: "bob", cloud: "edge" }), placed("blog", { life: "dying" })];
  const found = (typed: string): string[] => matchingModels(all, typed).map(({ model }) => model.name);

  it("wants every word, in the name, owner, cloud, status or message", () => {
    expect(found("")).toHaveLength(3);
    expect(found("  SHOP ")).toEqual(["shop", "shop-2"]);
    expect(found("shop bob")).toEqual(["shop-2"]);
    expect(found("edge")).toEqual(["shop-2"]);
    expect(found("dying")).toEqual(["blog"]);
    expect(found("house moving")).toEqual(["shop"]);
    expect(found("nothing")).toEqual([]);
  });
});

describe("groups of models", () => {
  const all = [
    placed("c", { owner: "bob", trouble: 2 }),
    placed("a", { cloud: "edge", life: "dying" }),
    placed("b", { owner: "bob", cloud: "edge" }),
    placed("d"),
  ];
  const groups = (by: string): string[] =>
    groupedModels(all, by).map(({ title, models }) => `${title}: ${models.map(({ model }) => model.name).join(" ")}`);

  it("by status begin with what needs a person", () => {
    expect(groups("status")).toEqual(["Needs attention: c", "dying: a", "available: b d"]);
  });

  it("by cloud and owner stand by name, and keep the order within", () => {
    expect(groups("cloud")).toEqual(["edge: a b", "local: c d"]);
    expect(groups("owner")).toEqual(["ada: a d", "bob: c b"]);
  });

  it("are one without a name where the address names none, or one that is not known", () => {
    expect(groups("")).toEqual([": c a b d"]);
    expect(groups("colour")).toEqual(groups(""));
    expect(groupedModels([], "")).toEqual([]);
  });
});
