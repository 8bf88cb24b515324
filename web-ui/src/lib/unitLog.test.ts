import { describe, expect, it } from "vitest";
import type { ServiceInfo } from "../api/types";
import { filterOf, logChoices, WITHOUT } from "./unitLog";

const service = (container: string, name: string): ServiceInfo => ({ container, service: name }) as ServiceInfo;

describe("a unit's log", () => {
  it("is narrowed to a service by its module", () => {
    expect(filterOf("site/0", "")).toEqual({ include: "site/0", tail: 200 });
    expect(filterOf("site/0", "web/site")["include-module"]).toBe("workload.web.site");
    expect(filterOf("site/0", WITHOUT)["exclude-module"]).toBe("workload");
  });

  it("offers the services that there are, and the one that an address names", () => {
    expect(logChoices([], "")).toEqual([]);
    expect(logChoices([service("web", "site")], "").map(([value]) => value)).toEqual(["", WITHOUT, "web/site"]);
    expect(logChoices([], "web/gone").map(([, label]) => label)).toContain("Service web/gone");
  });
});
