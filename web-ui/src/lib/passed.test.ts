import { describe, expect, it } from "vitest";
import type { ServiceInfo } from "../api/types";
import { stepsOf } from "./passed";

const service = (name: string, history: ServiceInfo["history"]): ServiceInfo =>
  ({ container: "web", service: name, history }) as ServiceInfo;

describe("what services went through", () => {
  it("is told newest first, whoever went through it", () => {
    const site = service("site", [
      { at: 10, current: "starting" },
      { at: 10, current: "active" },
      { at: 30, current: "starting", end: "exited 0" },
    ]);
    const found = stepsOf([site, service("cache", [{ at: 20, current: "failed", end: "it trapped" }])]);
    expect(found.map(({ at, service, current }) => `${at} ${service} ${current}`)).toEqual([
      "30 web/site starting",
      "20 web/cache failed",
      "10 web/site active",
      "10 web/site starting",
    ]);
    expect(found[0]?.end).toBe("exited 0");
  });

  it("is nothing of services that were not seen yet", () => {
    expect(stepsOf([service("site", undefined), service("cache", [])])).toEqual([]);
  });
});
