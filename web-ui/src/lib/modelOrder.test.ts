import { describe, expect, it } from "vitest";
import { orderedModels } from "./modelOrder";

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
