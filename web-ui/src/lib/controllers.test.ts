// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { answers, originOf, pageThere, parse, withController } from "./controllers";

afterEach(() => vi.unstubAllGlobals());

describe("controllers", () => {
  it("have an https address, whose port may be named", () => {
    expect(originOf("10.0.0.2:17070")).toBe("https://10.0.0.2:17070");
    expect(originOf(" https://prod.example.com/models/shop ")).toBe("https://prod.example.com");
    for (const text of ["", "two words", "http://prod.example.com", "javascript:alert(1)", "https://ann@prod", "https://"]) {
      expect(originOf(text)).toBeNull();
    }
  });

  it("are read from what is stored as far as it makes sense", () => {
    const prod = { origin: "https://prod", name: "prod" };
    const stored = [prod, { origin: "javascript:alert(1)", name: "x" }, { origin: "https://prod/path", name: "y" }, 3, null];
    expect(parse(JSON.stringify(stored))).toEqual([prod]);
    expect(parse("{")).toEqual([]);
    expect(parse(null)).toEqual([]);
  });

  it("are known once each, by name", () => {
    const one = withController([], { origin: "https://b", name: "prod" });
    const two = withController(one, { origin: "https://a", name: "lab" });
    expect(two.map(({ name }) => name)).toEqual(["lab", "prod"]);
    expect(withController(two, { origin: "https://b", name: "live" }).map(({ name }) => name)).toEqual(["lab", "live"]);
  });

  it("are gone to at the same model", () => {
    expect(pageThere("https://b", "/models/shop/units/site/0")).toBe("https://b/models/shop");
    expect(pageThere("https://b", "/audit")).toBe("https://b/audit");
    expect(pageThere("https://b", "/models")).toBe("https://b/models");
  });

  it("answer or do not, and are told nothing of the visitor", async () => {
    const asked: [string, RequestInit][] = [];
    vi.stubGlobal("fetch", (address: string, options: RequestInit) => {
      asked.push([address, options]);
      return address.startsWith("https://up") ? Promise.resolve(new Response()) : Promise.reject(new TypeError("no"));
    });
    expect(await answers("https://up")).toBe(true);
    expect(await answers("https://down")).toBe(false);
    expect(asked[0]?.[0]).toBe("https://up/health");
    expect(asked[0]?.[1]).toMatchObject({ mode: "no-cors", credentials: "omit" });
  });
});
