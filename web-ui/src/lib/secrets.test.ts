import { describe, expect, it } from "vitest";
import type { SecretInfo } from "../api/types";
import {
  BLANK,
  found,
  grantedTo,
  inOrder,
  isNothing,
  keyError,
  nameError,
  nameOf,
  newestOf,
  ownedBy,
  ownerOf,
  valuesOf,
} from "./secrets";

const secret = (id: string, owner: SecretInfo["owner"], label: string, granted: string[] = []): SecretInfo =>
  ({
    id,
    owner,
    label,
    revisions: [{ revision: 1 }, { revision: 3 }],
    grants: granted.map((to) => ({ to })),
  }) as SecretInfo;

const ALL = [
  secret("d", { kind: "unit", name: "shop/1" }, ""),
  secret("c", { kind: "application", name: "shop" }, "api", ["blog/0"]),
  secret("b", { kind: "model", name: "prod" }, "database", ["shop", "blog"]),
  secret("a", { kind: "application", name: "shopping" }, "api", ["shop"]),
];

const ids = (secrets: SecretInfo[]): string[] => secrets.map(({ id }) => id);

describe("secrets", () => {
  it("are called by name, label or id, and have an owner", () => {
    expect(ALL.map(nameOf)).toEqual(["d", "api", "database", "api"]);
    expect(ALL.map(ownerOf)).toEqual(["shop/1", "shop", "the model", "shopping"]);
    expect(newestOf(secret("x", { kind: "model", name: "m" }, ""))).toBe(3);
  });

  it("belong to an application with its units, or were granted to it", () => {
    expect(ids(ownedBy(ALL, "shop"))).toEqual(["d", "c"]);
    expect(ids(ownedBy(ALL, "prod"))).toEqual([]);
    expect(ids(grantedTo(ALL, "shop"))).toEqual(["b", "a"]);
    expect(ids(grantedTo(ALL, "blog"))).toEqual(["c", "b"]);
  });

  it("are listed with those of people first", () => {
    expect(ids(inOrder(ALL))).toEqual(["b", "c", "d", "a"]);
  });

  it("are found by id, and people's by name", () => {
    expect(found(ALL, "c")?.id).toBe("c");
    expect(found(ALL, "database")?.id).toBe("b");
    expect(found(ALL, "api")).toBeUndefined();
  });
});

describe("values that are typed", () => {
  it("have keys that can be some, each once", () => {
    const typed = ["password", "ab", "Abc", "a-c-", "1abc", "password", "abc"].map((key) => ({ key, value: "x" }));
    const wrong = typed.map((_, place) => keyError(typed, place)?.split(",")[0] ?? null);
    const shape = "At least 3 lower-case letters";
    expect(wrong).toEqual([null, shape, shape, shape, shape, "Another value has this key", null]);
    expect(valuesOf(typed)).toBeNull();
  });

  it("are sent without the lines that were left empty", () => {
    expect(valuesOf([BLANK, { key: "user", value: "" }, { key: "password", value: "a\nb" }])).toEqual({
      user: "",
      password: "a\nb",
    });
    expect(valuesOf([BLANK])).toBeNull();
    expect(valuesOf([{ key: "", value: "x" }])).toBeNull();
    expect([isNothing([BLANK, BLANK]), isNothing([{ key: "", value: "x" }])]).toEqual([true, false]);
  });

  it("stand under a name that is no id", () => {
    expect(nameError("shop.database-1")).toBeNull();
    expect(nameError("")).not.toBeNull();
    expect(nameError("-x")).not.toBeNull();
    expect(nameError("abcdefghij0123456789")).toBe("This looks like an id");
  });
});
