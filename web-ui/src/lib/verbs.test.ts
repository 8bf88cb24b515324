import { describe, expect, it } from "vitest";
import { acts, named, type Things, typedFor } from "./verbs";

const things: Things = {
  applications: ["front", "site", "website"],
  failed: ["site/1"],
  charms: ["local:site-0"],
};

const names = (typed: string, of: Things = things): string[] => acts(typed, of).map(named);

describe("verbs", () => {
  it("are all offered while nothing is typed, and those that begin so afterwards", () => {
    expect(names("")).toEqual(["deploy", "scale", "retry", "config", "integrate", "remove", "add machine"]);
    expect(names("re")).toEqual(["retry", "remove"]);
    expect(names("s")).toEqual([]);
    expect(names("add m")).toEqual(["add machine"]);
    expect(names("site")).toEqual([]);
  });

  it("are offered only where there is something for them", () => {
    const empty: Things = { applications: [], failed: [], charms: [] };
    expect(names("", empty)).toEqual(["deploy", "add machine"]);
    expect(names("retry ", { ...things, failed: [] })).toEqual([]);
  });

  it("take what they are about, in full before in part", () => {
    expect(names("scale site")).toEqual(["scale site", "scale website"]);
    expect(names("Scale  SITE 3")).toEqual(["scale site to 3", "scale website to 3"]);
    expect(names("scale site three")).toEqual([]);
    expect(names("retry ")).toEqual(["retry site/1"]);
    expect(names("deploy ")).toEqual(["deploy", "deploy local:site-0"]);
    expect(names("integrate site ")).toEqual(["integrate site with front", "integrate site with website"]);
    expect(names("integrate site fr")).toEqual(["integrate site with front"]);
    expect(names("add machine 2")).toEqual(["add 2 machines"]);
    expect(names("add machine two")).toEqual([]);
    expect(names("config front x y")).toEqual([]);
  });

  it("say whether they can be done or go on being typed", () => {
    const [scale] = acts("sc", things);
    expect(scale).toMatchObject({ whole: false });
    expect(scale && typedFor(scale)).toBe("scale ");
    const [site] = acts("scale site", things);
    expect(site).toMatchObject({ whole: true, subject: "site" });
    expect(acts("deploy", things)[0]).toMatchObject({ whole: true, subject: "" });
  });
});
