// @vitest-environment jsdom
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useRecents } from "./useRecents";

const visitor = vi.hoisted(() => ({ user: "eve", controller: "lab" }));
vi.mock("../session", () => ({
  useVisitor: () => ({ session: { user: visitor.user }, whoami: { controller: visitor.controller } }),
}));

const NOTHING = new Set<string>();
const target = (to: string) => ({ kind: "unit", name: to, where: "", to });

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Goes to each page in turn, and says what is remembered. */
function visit(...paths: string[]): readonly string[] {
  const none: never[] = [];
  const { result, rerender } = renderHook(({ path }) => useRecents(path, none, NOTHING), { initialProps: { path: paths[0] ?? "/" } });
  for (const path of paths) rerender({ path });
  return result.current;
}

describe("what was visited lately", () => {
  it("is still known on the next page that is loaded", () => {
    expect(visit("/models/shop", "/models/shop/units/site/0", "/account")).toEqual(["/models/shop/units/site/0", "/models/shop"]);
    cleanup();
    expect(visit("/models/blog/logs")).toEqual(["/models/blog", "/models/shop/units/site/0", "/models/shop"]);
  });

  it("is not what somebody else visited, nor on another controller", () => {
    visit("/models/shop");
    for (const other of [{ user: "bob" }, { controller: "home" }]) {
      const before = { ...visitor };
      Object.assign(visitor, other);
      expect(visit("/account")).toEqual([]);
      Object.assign(visitor, before);
    }
  });

  it("is forgotten once a list shows that it is gone", () => {
    visit("/models/shop/units/site/0", "/models/shop/units/site/1");
    const targets = [target("/models/shop/units/site/1")];
    const known = new Set(["/models/shop/units"]);
    const { result } = renderHook(() => useRecents("/account", targets, known));
    expect(result.current).toEqual(["/models/shop/units/site/1"]);
    cleanup();
    expect(visit("/account")).toEqual(["/models/shop/units/site/1"]);
  });
});
