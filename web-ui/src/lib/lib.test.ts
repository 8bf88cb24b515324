import { describe, expect, it } from "vitest";
import { ApiError, withQuery } from "../api/client";
import * as paths from "../api/paths";
import type { ApplicationInfo, CharmInfo, EngineView, MachineInfo, UnitInfo } from "../api/types";
import { append } from "../live/lines";
import { allows } from "../session";
import { concerns, natural, tally } from "./attention";
import { bytes } from "./bytes";
import { command, configCommand, curl, quote } from "./commands";
import { configErrors, errorText } from "./configErrors";
import { APPLICATION_NAME, changedValues, freeName, typed, valueError } from "./deployForm";
import { engineNodes } from "./engine";
import { drawn, formatFor } from "./figures";
import { nest } from "./nesting";
import { linkedRegistration, readRegistration, registrationLink } from "./registration";
import { leaving } from "./scale";
import { find } from "./search";
import { timeText } from "../components/charts/time";

const unit = (name: string, workload: UnitInfo["workload"]["status"] = "active", more: Partial<UnitInfo> = {}): UnitInfo => ({
  name,
  application: name.split("/")[0] ?? "",
  charm: "local:a-0",
  life: "alive",
  machine: "0",
  leader: false,
  workload: { status: workload, message: `${workload}!`, since: timeText(1) },
  agent: { status: "idle", message: "", since: timeText(1) },
  "opened-ports": [],
  "public-address": null,
  listening: [],
  "workload-version": "",
  ...more,
});

describe("what needs attention", () => {
  it("names units before their application, worst first", () => {
    const application = { name: "a", status: { status: "error", message: "", since: timeText(0) } };
    const found = concerns(
      [application as ApplicationInfo],
      [unit("a/10", "blocked"), unit("a/9", "blocked"), unit("a/1", "error"), unit("a/2")],
      [] as MachineInfo[],
    );
    expect(found.map(({ name }) => name)).toEqual(["a/1", "a/9", "a/10"]);
  });

  it("shows a lost agent though the workload was fine", () => {
    const lost = unit("a/0", "active", { agent: { status: "lost", message: "gone", since: timeText(0) } });
    expect(concerns([], [lost], [])).toEqual([
      { kind: "unit", name: "a/0", status: "lost", message: "gone" },
    ]);
  });

  it("counts and orders", () => {
    expect(tally(["active", "error", "active"])).toEqual([
      { status: "error", count: 1 },
      { status: "active", count: 2 },
    ]);
    expect(["app10", "app9"].sort(natural)).toEqual(["app9", "app10"]);
  });
});

describe("units", () => {
  it("stand with subordinates under their principal", () => {
    const listed = nest([unit("b/0"), unit("log/0", "active", { principal: "a/0" }), unit("a/0")]);
    expect(listed.map(({ unit: { name }, depth }) => [name, depth])).toEqual([
      ["a/0", 0],
      ["log/0", 1],
      ["b/0", 0],
    ]);
  });

  it("leave by the highest numbers, as the controller removes them", () => {
    const units = [unit("a/10", "active", { leader: true }), unit("a/0"), unit("a/9"), unit("a/11", "active", { life: "dying" })];
    expect(leaving(units, 2)).toEqual(["a/10"]);
    expect(leaving(units, 0)).toEqual(["a/0", "a/9", "a/10"]);
    expect(leaving(units, 5)).toEqual([]);
  });
});

describe("commands", () => {
  it("quote what a shell would take apart", () => {
    expect(quote("plain-1.0/x")).toBe("plain-1.0/x");
    expect(quote("it's here")).toBe("'it'\\''s here'");
    expect(command("config", false, "-m", "a b")).toBe("periapt config -m 'a b'");
    expect(configCommand("m", "a", { set: { title: "x y", port: 1 }, reset: ["z"] })).toBe(
      "periapt config -m m a 'title=x y' port=1 --reset z",
    );
  });

  it("never carry a credential", () => {
    const text = curl("POST", "/v1/models", { name: "x" }, "https://h:1");
    expect(text).toContain("$PERIAPT_TOKEN");
    expect(text).toContain("-X POST");
    expect(text).toContain("https://h:1/v1/models");
  });
});

describe("addresses", () => {
  it("encode names", () => {
    expect(paths.unit("m", "site/0")).toBe("/v1/models/m/units/site/0");
    expect(paths.charm("m", "local:site-0")).toBe("/v1/models/m/charms/local%3Asite-0");
    expect(paths.machine("m", "0/lxd/1")).toBe("/v1/models/m/machines/0-lxd-1");
    expect(withQuery("/x", { a: "1 2", b: undefined, c: "", d: false })).toBe("/x?a=1+2&d=false");
  });
});

describe("the deploy form", () => {
  const charm = {
    config: {
      options: {
        port: { type: "int", default: 80 },
        ratio: { type: "float" },
        on: { type: "boolean", default: false },
        title: { type: "string", default: "x" },
      },
    },
  } as unknown as CharmInfo;

  it("sends only what differs from the defaults, typed", () => {
    const texts = { port: "80", ratio: "0.5", on: "true", title: "x" };
    expect(changedValues(charm, texts)).toEqual({ ratio: 0.5, on: true });
  });

  it("refuses what is no value of its type", () => {
    expect(valueError("int", "1.5")).not.toBeNull();
    expect(valueError("int", "-3")).toBeNull();
    expect(valueError("float", "")).not.toBeNull();
    expect(valueError("boolean", "yes")).not.toBeNull();
    expect(typed("int", "7")).toBe(7);
  });

  it("finds a free name", () => {
    expect(freeName("site", [])).toBe("site");
    expect(freeName("site", ["site", "site-b"])).toBe("site-c");
    expect(APPLICATION_NAME.test("my-app2")).toBe(true);
    expect(APPLICATION_NAME.test("app-2")).toBe(false);
  });
});

describe("the rest", () => {
  it("finds by every word, beginnings first", () => {
    const target = (name: string, kind = "unit") => ({ kind, name, where: "shop", to: `/${name}` });
    const targets = [target("website/0"), target("site/0"), target("site", "application")];
    expect(find(targets, "site").map(({ name }) => name)).toEqual(["site", "site/0", "website/0"]);
    expect(find(targets, "unit web")).toHaveLength(1);
    expect(find(targets, "nothing")).toEqual([]);
  });

  it("finds a name by letters of it in their order, behind names that have them together", () => {
    const of = (name: string) => ({ kind: "application", name, where: "", to: `/${name}` });
    const targets = [of("queue-worker"), of("qw"), of("worker-queue")];
    expect(find(targets, "qw").map(({ name }) => name)).toEqual(["qw", "queue-worker"]);
    expect(find(targets, "x")).toEqual([]);
  });

  it("begins with what needs a person where nothing is typed, the worst first", () => {
    const of = (name: string, status?: string) => ({ kind: "unit", name, where: "", to: `/${name}`, ...(status && { status }) });
    const targets = [of("Models"), of("a/0", "active"), of("b/0", "blocked"), of("c/0", "error")];
    expect(find(targets, "").map(({ name }) => name)).toEqual(["c/0", "b/0", "Models", "a/0"]);
    const many = [of("Models"), ...Array.from({ length: 20 }, (_, number) => of(`c/${number}`, "error"))];
    expect(find(many, " ").map(({ name }) => name)).toContain("Models");
  });

  it("goes on with what was visited lately where nothing is typed", () => {
    const of = (name: string, status?: string) => ({ kind: "unit", name, where: "", to: `/${name}`, ...(status && { status }) });
    const targets = [of("Models"), of("a/0", "active"), of("b/0", "blocked"), of("c/0", "active")];
    expect(find(targets, "", 12, ["/c/0", "/gone", "/b/0"]).map(({ name }) => name)).toEqual(["b/0", "c/0", "Models", "a/0"]);
    const many = Array.from({ length: 20 }, (_, number) => of(`c/${number}`));
    const found = find([of("Models"), ...many], "", 12, many.map(({ to }) => to));
    expect(found.map(({ name }) => name).slice(0, 5)).toEqual(["c/0", "c/1", "c/2", "c/3", "Models"]);
    expect(new Set(found.map(({ to }) => to)).size).toBe(12);
  });

  it("lets a visitor do what their access includes", () => {
    const whoami = {
      user: "erin",
      "display-name": "",
      access: "login" as const,
      models: [{ uuid: "u", name: "shop", access: "write" as const }],
      controller: "c",
    };
    expect(allows(whoami, "shop", "read")).toBe(true);
    expect(allows(whoami, "shop", "admin")).toBe(false);
    expect(allows(whoami, "other", "read")).toBe(false);
    expect(allows({ ...whoami, access: "superuser" }, "other", "admin")).toBe(true);
  });

  it("keeps a bounded log", () => {
    const line = { time: timeText(0), entity: "", level: "INFO", module: "", message: "" };
    expect(append([line], [line])).toHaveLength(2);
    expect(append(Array.from({ length: 5000 }, () => line), [line, line])).toHaveLength(5000);
  });

  it("points an error at its option", () => {
    const error = new ApiError({
      status: 400,
      code: "config-wrong-type",
      title: "The request is not valid",
      detail: 'option "port" expects an integer, got "x"',
      advice: "look",
    });
    expect(configErrors(error)).toHaveProperty("port");
    expect(errorText(error)).toContain("Look.");
    expect(errorText(null)).toBeNull();
  });

  it("reads a registration, and nothing else", () => {
    const text = btoa(JSON.stringify({ user: "erin", controller: "c", token: "t" }));
    expect(readRegistration(` ${text}\n`)).toEqual({ user: "erin", controller: "c", token: "t" });
    expect(readRegistration("rubbish")).toBeNull();
    const link = new URL(registrationLink(text, "https://h:1"));
    expect(link.pathname + link.search).toBe("/register");
    expect(readRegistration(linkedRegistration(link.hash))?.user).toBe("erin");
    expect(linkedRegistration("#%")).toBe("");
    expect(linkedRegistration("")).toBe("");
  });

  it("puts into a link what the page needs, and no certificate", () => {
    const whole = { user: "erin", controller: "kontrollör ÿÿÿ>>>???", token: "t", addresses: ["h:1"], "ca-cert": "x".repeat(900) };
    const text = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(whole))));
    const link = registrationLink(text, "https://h:1");
    expect(link.length).toBeLessThan(200);
    const { user, controller, token } = whole;
    expect(readRegistration(linkedRegistration(new URL(link).hash))).toEqual({ user, controller, token });
    expect(registrationLink("rubbish", "https://h:1")).toBe("https://h:1/register#rubbish");
  });

  it("draws figures by kind and writes sizes in words", () => {
    const figures = {
      step: 10,
      times: [timeText(1), timeText(2)],
      series: { "requests-per-second": [1, null], "new-thing": [3, 4] },
      units: { "requests-per-second": "per-second", "new-thing": "count" },
    };
    const charts = drawn(figures);
    expect(charts.map(({ title }) => title)).toEqual(["Rates", "new thing"]);
    expect(charts[0]?.series[0]?.points[1]).toEqual({ time: 2, value: null });
    expect(formatFor("seconds")(0.0123)).toBe("12 ms");
    expect(bytes(159_539)).toBe("155.8 KiB");
  });

  it("takes an engine's nodes to the drawing", () => {
    const engine = {
      nodes: [
        { name: "a", state: "started", inputs: [], "start-count": 1, "started-at": timeText(0), error: null, "waits-for": null, report: null },
        { name: "b", state: "stopped", inputs: ["a"], "start-count": 0, "started-at": null, error: null, "waits-for": "a", report: null },
        { name: "c", state: "stopped", inputs: ["a"], "start-count": 3, "started-at": null, error: "refused", "waits-for": null, report: null },
        { name: "d", state: "uninstalled", inputs: [], "start-count": 1, "started-at": null, error: "not wanted", "waits-for": null, report: null },
      ],
    } as unknown as EngineView;
    expect(engineNodes(engine).map(({ state }) => state)).toEqual(["started", "resting", "error", "uninstalled"]);
  });
});
