import { describe, expect, it } from "vitest";
import type { EnqueueOperation, OperationInfo, TaskInfo, TaskStatus } from "../api/types";
import { lookOf } from "../components/charts/status";
import { NO_OPTIONS, pairs, requestOf, runCommand, timeoutError } from "./actions/request";
import {
  applicationsOf,
  askedText,
  canCancel,
  furtherTask,
  hasEnded,
  mergedOperation,
  openAtFirst,
  operationStatus,
  receiverOf,
  STATUSES,
  statusesOf,
  tookText,
} from "./operations";
import { entriesOf, resultsOf, shownValue } from "./results";
import { timeText } from "../components/charts/time";

const task = (id: number, status: TaskStatus, more: Partial<TaskInfo> = {}): TaskInfo => ({
  id,
  operation: 1,
  unit: `site/${id}`,
  action: "rebuild",
  status,
  message: "",
  "enqueued-at": timeText(1),
  parallel: false,
  ...more,
});

const operation = (tasks: TaskInfo[], more: Partial<OperationInfo> = {}): OperationInfo => ({
  id: 1,
  summary: "rebuild run on site/2",
  status: operationStatus(tasks),
  user: "admin",
  "enqueued-at": timeText(1),
  tasks,
  ...more,
});

describe("a task of a machine", () => {
  const df = task(2, "completed", { unit: null, machine: "0", action: "", command: ["df"] });

  it("is the machine's and of no application", () => {
    expect(receiverOf(df)).toBe("machine-0");
    expect(receiverOf(task(3, "running"))).toBe("site/3");
    expect(applicationsOf(operation([df]))).toEqual([]);
    expect(askedText(df)).toBe("df");
  });
});

describe("an operation", () => {
  it("is what its tasks are, what is not over first", () => {
    const of = (...statuses: TaskStatus[]): TaskStatus => operationStatus(statuses.map((status, id) => task(id, status)));
    expect(of("completed", "pending")).toBe("pending");
    expect(of("failed", "running", "pending")).toBe("running");
    expect(of("completed", "cancelled", "aborted")).toBe("aborted");
    expect(of("completed", "completed")).toBe("completed");
    expect(of()).toBe("completed");
  });

  it("goes on, whatever is told in whatever order", () => {
    const early = operation([task(2, "running"), task(3, "completed")], { "started-at": timeText(5) });
    const late = operation([task(2, "failed"), task(3, "running")], { "started-at": timeText(5), "completed-at": timeText(9) });
    const statuses = (found: OperationInfo): TaskStatus[] => found.tasks.map(({ status }) => status);
    for (const merged of [mergedOperation(early, late), mergedOperation(late, early)]) {
      expect(statuses(merged)).toEqual(["failed", "completed"]);
      expect(merged).toMatchObject({ status: "failed", "completed-at": timeText(9) });
    }
    expect(mergedOperation(early, undefined)).toBe(early);
  });

  it("is not over while one of its tasks is not", () => {
    const told = operation([task(2, "completed"), task(3, "running")]);
    const stray = operation([task(2, "completed"), task(3, "pending")], { "completed-at": timeText(9) });
    expect(mergedOperation(told, stray)).toMatchObject({ status: "running" });
    expect(mergedOperation(told, stray)).not.toHaveProperty("completed-at");
  });

  it("has tasks that never go back", () => {
    expect(furtherTask(task(2, "running"), task(2, "pending")).status).toBe("running");
    expect(furtherTask(task(2, "aborting"), task(2, "running")).status).toBe("aborting");
    expect(furtherTask(task(2, "running", { message: "a" }), task(2, "running", { message: "b" })).message).toBe("b");
    expect(furtherTask(task(2, "completed"), task(2, "aborting")).status).toBe("completed");
  });

  it("can be cancelled as long as it is not over", () => {
    expect(STATUSES.filter(hasEnded)).toEqual(["completed", "failed", "cancelled", "aborted"]);
    expect(STATUSES.filter(canCancel)).toEqual(["pending", "running"]);
  });

  it("looks good only where it ended well", () => {
    expect(STATUSES.filter((status) => lookOf(status).tone === "positive")).toEqual(["running", "completed"]);
    expect(lookOf("failed").tone).toBe("negative");
    expect(lookOf("aborting").tone).toBe("caution");
  });

  it("says how long it took, or has been running", () => {
    expect(tookText(operation([]), 10)).toBe("—");
    expect(tookText(operation([], { "started-at": timeText(1_000_000), "completed-at": timeText(3_500_000) }), 0)).toBe("2.50 s");
    expect(tookText({ status: "running", "started-at": timeText(1_000_000) }, 61_000_000)).toBe("1 min so far");
    expect(tookText({ status: "failed", "started-at": timeText(1) }, 9)).toBe("—");
  });

  it("tells what was asked of whom", () => {
    expect(askedText(task(2, "running"))).toBe("rebuild");
    expect(askedText({ action: "", command: ["list", "a b"] })).toBe("list 'a b'");
    expect(applicationsOf(operation([task(2, "running"), task(3, "running"), task(4, "running", { unit: "a-b/10" })]))).toEqual(["site", "a-b"]);
  });

  it("is noticed in a list when it comes or goes on, not when a task tells a line", () => {
    const [one, other] = [operation([task(2, "running")]), operation([task(4, "pending")], { id: 3 })];
    expect(statusesOf([one, other])).toBe(statusesOf([other, { ...one, tasks: [] }]));
    expect(statusesOf([one])).not.toBe(statusesOf([one, other]));
    expect(statusesOf([one])).not.toBe(statusesOf([{ ...one, status: "completed" }]));
  });

  it("opens all of a few tasks, and of many the one that failed", () => {
    expect(openAtFirst([task(2, "running"), task(3, "failed")])).toEqual([2, 3]);
    const many = [2, 3, 4, 5].map((id) => task(id, id === 4 ? "failed" : "completed"));
    expect(openAtFirst(many)).toEqual([4]);
    expect(openAtFirst(many.slice(0, 2).concat(task(6, "running"), task(7, "running")))).toEqual([2]);
    expect(openAtFirst([])).toEqual([]);
  });
});

describe("what a task answered", () => {
  it("is taken apart into what was printed and the rest", () => {
    const results = resultsOf({ stdout: "a\n", stderr: "", "return-code": 3, pages: { built: 2 } });
    expect(results).toEqual({
      printed: [{ name: "stdout", text: "a\n", encoding: "" }],
      returnCode: 3,
      rest: { pages: { built: 2 } },
    });
    expect(resultsOf({ stdout: "YQ==", "stdout-encoding": "base64", "return-code": "0" })).toMatchObject({
      printed: [{ encoding: "base64" }],
      returnCode: 0,
      rest: {},
    });
    expect(resultsOf({}).returnCode).toBeNull();
  });

  it("is a tree of values", () => {
    expect(entriesOf({ a: 1 })).toEqual([["a", 1]]);
    expect(entriesOf(["x"])).toEqual([["1", "x"]]);
    expect(entriesOf("x")).toBeNull();
    expect(["", "x", 1, null, false].map(shownValue)).toEqual(["empty", "x", "1", "null", "false"]);
  });
});

describe("what is asked for", () => {
  const action = { action: "rebuild", parameters: { pages: 3 } };

  it("names units, the leader or the application", () => {
    expect(requestOf(action, "site", { who: "all", units: [] }, NO_OPTIONS)).toEqual({ ...action, applications: ["site"] });
    expect(requestOf(action, "site", { who: "leader", units: [] }, NO_OPTIONS).units).toEqual(["site/leader"]);
    const options = { timeout: " 1.5 ", parallel: "false", group: " night " } as const;
    expect(requestOf({ command: ["list"] }, "site", { who: "named", units: ["site/1"] }, options)).toEqual({
      command: ["list"],
      units: ["site/1"],
      timeout: 1500,
      parallel: false,
      "execution-group": "night",
    });
  });

  it("has a time limit in seconds", () => {
    expect(["", "30", "0.5", "3600"].map(timeoutError)).toEqual([null, null, null, null]);
    for (const wrong of ["0", "-1", "3601", "1m"]) expect(timeoutError(wrong)).not.toBeNull();
  });

  it("is the same on the command line", () => {
    const run = (body: EnqueueOperation): string => runCommand("m", body, ["site/0", "site/1"]);
    const parameters = { pages: 3, title: "a b", keep: { days: 7 }, tags: ["a"], code: "5" };
    expect(run({ action: "rebuild", applications: ["site"], parameters })).toBe(
      `periapt run -m m site/0 site/1 rebuild pages=3 'title=a b' keep.days=7 'tags=["a"]' 'code="5"'`,
    );
    expect(run({ command: ["list", ""], applications: ["site"], timeout: 30_000, parallel: true })).toBe(
      "periapt exec -m m --application site --timeout 30s --parallel=true -- list ''",
    );
    expect(run({ command: ["list"], units: ["site/leader"] })).toBe("periapt exec -m m --unit site/leader -- list");
    expect(pairs({ a: "true", b: "x: y", c: "", d: null, e: {} })).toEqual(['a="true"', 'b="x: y"', 'c=""', "d=null", "e={}"]);
  });
});
