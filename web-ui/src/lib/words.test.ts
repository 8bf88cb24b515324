import { describe, expect, it } from "vitest";
import { ApiError } from "../api/client";
import type { ApplicationInfo, MachineInfo, Problem, UnitInfo } from "../api/types";
import { entityFilter, entityName, moduleBeside } from "../components/charts/log/entity";
import { axisTextWidth, withinAxis } from "../components/charts/scale";
import { currentTab } from "../components/Tabs";
import { type Concern, grouped, unitMessage } from "./attention";
import { failedHook } from "./failedHook";
import { narrowedApplications, narrowedMachines, narrowedUnits } from "./overview";
import { sentence } from "./sentence";
import { refusalOf } from "./signIn";
import { waitingText } from "./waiting";
import { timeText } from "../components/charts/time";

const MINUTE = 60_000_000;

describe("texts of the controller", () => {
  it("end in one stop, whatever they ended in", () => {
    expect(sentence("its answer was lost")).toBe("Its answer was lost.");
    expect(sentence("Its answer was lost.")).toBe("Its answer was lost.");
    expect(sentence("Really?")).toBe("Really?");
    expect(sentence("  ")).toBe("");
  });

  it("tell how long a removal waits instead of a time in another zone", () => {
    const now = Date.parse("2026-11-22T08:00:00Z") * 1000;
    const words = ["its units a/0", "until 2026-11-22T08:30:00Z, then what is left goes by force"];
    expect(waitingText(words, now)).toBe("Waiting for its units a/0. Forced removal in 30 min.");
    expect(waitingText(words, now + 40 * MINUTE)).toBe("Waiting for its units a/0. Forced removal is due.");
    const tried = ["until 2026-11-22T08:30:00Z, then it goes by force (tried already: no disk)"];
    expect(waitingText(tried, now)).toBe("Forced removal in 30 min. The last attempt failed: no disk.");
    expect(waitingText([], now)).toBe("");
  });

  it("say at the door what is wrong", () => {
    const refused = (problem: Partial<Problem>): ApiError =>
      new ApiError({ status: 401, code: "", title: "Not logged in", ...problem });
    expect(refusalOf(refused({ code: "credentials-invalid" }), null).title).toBe("Wrong user name or password");
    expect(refusalOf(refused({ code: "account-disabled" }), null).title).toBe("This account is disabled");
    expect(refusalOf(refused({ code: "logins-throttled" }), 12).text).toBe("Wait 12 s, then try again.");
    expect(refusalOf(refused({ code: "logins-throttled" }), 0).text).toBe("You can try again now.");
    expect(refusalOf(refused({ detail: "it rests", advice: "wait" }), null).text).toBe("It rests. Wait.");
  });
});

describe("a failed hook", () => {
  const unit = (data: Record<string, unknown>): UnitInfo =>
    ({
      name: "a/0",
      workload: { status: "error", message: 'hook failed: "start"', since: timeText(5), data },
      agent: { status: "idle", message: "", since: timeText(5) },
    }) as UnitInfo;

  it("tells its reason and when it is run again", () => {
    const told = failedHook(unit({ hook: "start", reason: "no disk", "next-retry": timeText(7) }));
    expect(told).toMatchObject({ hook: "start", reason: "no disk", since: 5, nextRetry: 7 });
    expect(unitMessage(unit({ reason: "no disk" }))).toBe('hook failed: "start": no disk');
    expect(failedHook(unit({}))).toMatchObject({ hook: null, reason: "", nextRetry: null });
  });

  it("is one concern with others of its application for the same reason", () => {
    const concern = (name: string, message: string): Concern => ({ kind: "unit", name, status: "error", message });
    const groups = grouped([concern("a/0", "x"), concern("b/0", "x"), concern("a/1", "x"), concern("a/2", "y")]);
    expect(groups.map((group) => group.map(({ name }) => name))).toEqual([["a/0", "a/1"], ["b/0"], ["a/2"]]);
  });
});

describe("the filter of a model", () => {
  const unit = (name: string, workload: string, agent: string, message = ""): UnitInfo =>
    ({
      name,
      application: name.split("/")[0],
      workload: { status: workload, message, since: timeText(0) },
      agent: { status: agent, message: "", since: timeText(0) },
    }) as UnitInfo;
  const model = {
    applications: [
      { name: "b", charm: "local:b-0", status: { status: "error", message: "rebuilding" } },
      { name: "a", charm: "local:a-0", status: { status: "active", message: "" } },
    ] as ApplicationInfo[],
    units: [unit("a/0", "active", "idle", "no error"), unit("b/0", "error", "idle"), unit("b/1", "unknown", "lost")],
    machines: [
      { id: "0", instance: { status: "running" }, agent: { status: "down" }, "instance-id": "i0", units: ["b/1"] },
    ] as MachineInfo[],
  };
  const names = (text: string, ...statuses: string[]): string[] => {
    const wanted = { text, statuses };
    const applications = narrowedApplications(model.applications, wanted).shown;
    const units = narrowedUnits(model.units, wanted).shown;
    const machines = narrowedMachines(model.machines, wanted).shown;
    return [...applications, ...units].map(({ name }) => name).concat(machines.map(({ id }) => id));
  };

  it("finds an application by its message", () => {
    expect(names("rebuild")).toEqual(["b"]);
  });

  it("shows by status what the counts and the attention box call so", () => {
    expect(names("", "error")).toEqual(["b", "b/0"]);
    expect(names("", "lost")).toEqual(["b/1"]);
    expect(names("", "down")).toEqual(["0"]);
    expect(names("b/", "error")).toEqual(["b/0"]);
    expect(names("", "error", "lost")).toEqual(["b", "b/0", "b/1"]);
  });
});

describe("names in the log", () => {
  it("are those of the pages, and the filter takes them", () => {
    expect(entityName("unit-queue-worker-0")).toBe("queue-worker/0");
    expect(entityName("machine-0-lxd-1")).toBe("machine 0/lxd/1");
    expect(entityName("controller")).toBe("controller");
    expect(entityFilter("unit-a-0")).toBe("a/0");
    expect(entityFilter("machine-0")).toBe("machine-0");
  });

  it("are not said twice", () => {
    expect(moduleBeside("unit.queue-worker/0.juju-log", "unit-queue-worker-0")).toBe("juju-log");
    expect(moduleBeside("juju.worker.uniter", "unit-queue-worker-0")).toBe("juju.worker.uniter");
  });
});

describe("texts of an axis", () => {
  it("stand within it", () => {
    const text = "06:40:30";
    expect(withinAxis(399, text, 400) + axisTextWidth(text) / 2).toBeLessThanOrEqual(400);
    expect(withinAxis(0, text, 400) - axisTextWidth(text) / 2).toBeGreaterThanOrEqual(0);
    expect(withinAxis(200, text, 400)).toBe(200);
  });
});

describe("the browser's tab", () => {
  it("is called by the page within the thing", () => {
    const tabs = [
      { to: "/models/m", label: "Overview", end: true },
      { to: "/models/m/logs", label: "Logs" },
    ];
    expect(currentTab(tabs, "/models/m/logs")).toBe("Logs");
    expect(currentTab(tabs, "/models/m")).toBeUndefined();
  });
});
