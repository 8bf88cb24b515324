import { describe, expect, it } from "vitest";
import type { ServiceInfo } from "../api/types";
import { micros, timeText } from "../components/charts/time";
import { stepsOf } from "./passed";

const service = (name: string, history: ServiceInfo["history"]): ServiceInfo =>
  ({ container: "web", service: name, history }) as ServiceInfo;

describe("what services went through", () => {
  it("is told newest first, whoever went through it", () => {
    const site = service("site", [
      { at: timeText(10_000_000), current: "starting" },
      { at: timeText(10_000_000), current: "active" },
      { at: timeText(30_000_000), current: "starting", end: "exited 0" },
    ]);
    const found = stepsOf([site, service("cache", [{ at: timeText(20_000_000), current: "failed", end: "it trapped" }])]);
    expect(found.map(({ at, service, current }) => `${micros(at) / 1_000_000} ${service} ${current}`)).toEqual([
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
