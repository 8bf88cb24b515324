import { describe, expect, it } from "vitest";
import type { ApplicationInfo } from "../api/types";
import { exposeRequest, exposure, listed, unitUrl } from "./reach";

const site = (more: Partial<ApplicationInfo>): ApplicationInfo =>
  ({ name: "site", exposed: true, "exposed-endpoints": {}, url: null, ...more }) as ApplicationInfo;

describe("who reaches an application from outside", () => {
  it("is said in words", () => {
    expect(exposure(site({}))).toBe("no");
    const everybody = { "": { "expose-to-cidrs": ["0.0.0.0/0", "::/0"] } };
    expect(exposure(site({ "exposed-endpoints": everybody }))).toBe("to everybody");
    const some = { ...everybody, admin: { "expose-to-cidrs": ["10.0.0.0/8"] } };
    expect(exposure(site({ "exposed-endpoints": some }))).toBe("to everybody; admin to 10.0.0.0/8");
  });

  it("finds each unit under a name of its own", () => {
    const url = "http://site.demo.localhost:8800/";
    expect(unitUrl(site({ url }), "site/10", ["80/tcp"])).toBe("http://site-10.demo.localhost:8800/");
    expect(unitUrl(site({}), "site/10", ["80/tcp"])).toBeNull();
    expect(unitUrl(undefined, "site/10", ["80/tcp"])).toBeNull();
  });

  it("does not find a unit that has nothing open which a browser could ask", () => {
    const url = "http://site.demo.localhost:8800/";
    expect(unitUrl(site({ url }), "site/10", [])).toBeNull();
    expect(unitUrl(site({ url }), "site/10", ["53/udp"])).toBeNull();
    expect(unitUrl(site({ url }), "site/10", ["53/udp", "80-81/tcp"])).toBe("http://site-10.demo.localhost:8800/");
  });

  it("is asked for as the controller reads it", () => {
    expect(listed(" a, b c,")).toEqual(["a", "b", "c"]);
    expect(exposeRequest([], [])).toEqual({ "exposed-endpoints": { "": {} } });
    expect(exposeRequest(["web"], ["10.0.0.0/8"])).toEqual({
      "exposed-endpoints": { web: { "expose-to-cidrs": ["10.0.0.0/8"] } },
    });
  });
});
