import { describe, expect, it, vi } from "vitest";
import type { ApplicationInfo, CharmInfo, MachineInfo, RelationInfo, StorageInfo, UnitInfo } from "../../api/types";
import { FLEET_TABS, type FleetView, toggled, viewOf, viewQuery, withView } from "./address";
import { counted, doAll, type Outcome } from "./bulk";
import { alongWithApplications, alongWithMachines, alongWithUnits } from "./going";
import { ordered, sortedBy, sortOf, sortText, timeKey, unitKeys } from "./order";
import { newestOf } from "./refresh";
import { toggledAll, toggledOne, withRange } from "./selection";
import { orderedUnits } from "./units";
import { COMMON_VIEWS, forgetView, savedViews, saveView } from "./views";

const unit = (name: string, more: Partial<UnitInfo> = {}): UnitInfo =>
  ({
    name,
    application: name.split("/")[0],
    charm: "local:a-0",
    life: "alive",
    machine: "0",
    leader: false,
    workload: { status: "active", message: "", since: 1 },
    agent: { status: "idle", message: "", since: 1 },
    "opened-ports": [],
    listening: [],
    "workload-version": "",
    ...more,
  }) as UnitInfo;

describe("the order of a table", () => {
  it("is by the first key that differs, words as people order them, and stable", () => {
    const rows = [["b", 1], ["a10", 1], ["a9", 2], ["a9", 1], ["a9", 1]] as const;
    const named = rows.map((keys, place) => ({ keys, place }));
    expect(ordered(named, ({ keys }) => keys).map(({ place }) => place)).toEqual([3, 4, 2, 1, 0]);
    expect(ordered(named, ({ keys }) => keys, true).map(({ place }) => place)).toEqual([0, 1, 2, 3, 4]);
  });

  it("has numbers before words, and does not change what it was given", () => {
    const rows = ["x", 5, "", -1];
    expect(ordered(rows, (row) => [row])).toEqual([-1, 5, "", "x"]);
    expect(rows).toEqual(["x", 5, "", -1]);
  });

  it("puts times in their order, however many digits they have, and none before all", () => {
    const times = ["2026-01-01T00:00:00.2Z", "2026-01-01T00:00:00.123456Z", "2026-01-01T00:00:00Z", null, "2026-01-01T00:00:00.25Z"];
    const sorted = ordered(times, (time) => [timeKey(time)]);
    expect(sorted).toEqual([null, times[2], times[1], times[0], times[4]]);
  });

  it("puts units by application, then number", () => {
    const names = ["web/10", "web/9", "blog/11", "web10/0", "web9/0"];
    expect(ordered(names, unitKeys)).toEqual(["blog/11", "web/9", "web/10", "web9/0", "web10/0"]);
  });

  it("keeps subordinates under their principal only by name", () => {
    const units = [unit("b/0"), unit("log/0", { principal: "b/0" }), unit("a/0")];
    const byName = orderedUnits(units, { column: "name", descending: false }, ({ name }) => unitKeys(name));
    expect(byName.units.map(({ name }) => name)).toEqual(["a/0", "b/0", "log/0"]);
    expect([...byName.nested]).toEqual(["log/0"]);
    const turned = orderedUnits(units, { column: "name", descending: true }, ({ name }) => unitKeys(name));
    expect(turned.units.map(({ name }) => name)).toEqual(["log/0", "b/0", "a/0"]);
    expect(turned.nested.size).toBe(0);
  });

  it("is quick for thousands", () => {
    const units = Array.from({ length: 2000 }, (_, place) => unit(`app${place % 50}/${(place * 7919) % 2000}`));
    orderedUnits(units, { column: "name", descending: false }, undefined);
    const begin = performance.now();
    const { units: sorted } = orderedUnits(units, { column: "name", descending: false }, undefined);
    expect(performance.now() - begin).toBeLessThan(200);
    expect(sorted[0]?.name).toMatch(/^app0\//);
    expect(sorted.at(-1)?.name).toMatch(/^app49\//);
  });

  it("stands in the address", () => {
    expect(sortOf("-since", ["name", "since"])).toEqual({ column: "since", descending: true });
    expect(sortOf("nonsense", ["name"])).toBeNull();
    expect(sortText({ column: "since", descending: true })).toBe("-since");
    expect(sortedBy({ column: "name", descending: false }, "name")).toEqual({ column: "name", descending: true });
    expect(sortedBy({ column: "name", descending: true }, "since")).toEqual({ column: "since", descending: false });
  });
});

describe("a view in the address", () => {
  const view: FleetView = { tab: "units", text: "web/", statuses: ["error", "provisioning error"], sort: "-since", open: "web/0" };

  it("comes back as it went, beside what is not its own", () => {
    const parameters = withView(new URLSearchParams("other=1"), view);
    expect(viewOf(new URLSearchParams(parameters.toString()))).toEqual(view);
    expect(parameters.get("other")).toBe("1");
  });

  it("leaves out what is as it is at first", () => {
    expect(viewQuery({})).toBe("");
    expect(viewQuery({ ...view, open: "web/0" })).not.toContain("open");
    expect(viewOf(new URLSearchParams())).toEqual({ tab: "applications", text: "", statuses: [], sort: "name", open: "" });
    expect(viewOf(new URLSearchParams("tab=nonsense&status=,error,,error")).statuses).toEqual(["error"]);
    expect(FLEET_TABS).toContain(viewOf(new URLSearchParams("tab=nonsense")).tab);
  });

  it("has a status more or less", () => {
    expect(toggled(["error"], "lost")).toEqual(["error", "lost"]);
    expect(toggled(["error", "lost"], "error")).toEqual(["lost"]);
  });

  it("is kept under a name, and forgotten", () => {
    const kept = new Map<string, string>();
    const store = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    expect(savedViews(store)).toEqual([]);
    saveView(store, "mine", view);
    saveView(store, "mine", { ...view, text: "" });
    expect(savedViews(store)).toEqual([{ name: "mine", query: viewQuery({ ...view, text: "" }) }]);
    expect(forgetView(store, "mine")).toEqual([]);
    kept.set("periapt-views", "no JSON");
    expect(savedViews(store)).toEqual([]);
    kept.set("periapt-views", '[null, {"name": 1}]');
    expect(savedViews(store)).toEqual([]);
  });

  it("has common ones that are views", () => {
    for (const { query } of COMMON_VIEWS) expect(viewQuery(viewOf(new URLSearchParams(query)))).toBe(query);
  });
});

describe("rows that are chosen", () => {
  it("are toggled one by one, in ranges and all", () => {
    const shown = ["a", "b", "c", "d"];
    expect([...toggledOne(new Set(["a"]), "a")]).toEqual([]);
    expect([...withRange(new Set(["a"]), shown, "d", "b")].sort()).toEqual(["a", "b", "c", "d"]);
    expect([...withRange(new Set(), shown, "gone", "b")]).toEqual(["b"]);
    expect([...toggledAll(new Set(["a"]), shown)]).toEqual(shown);
    expect([...toggledAll(new Set(shown), shown)]).toEqual([]);
  });
});

describe("the same change of many things", () => {
  it("goes on after a refusal, tells each result, and no more than some at once", async () => {
    let now = 0;
    let most = 0;
    const act = (fails: boolean) => async () => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
      if (fails) throw new Error("no");
    };
    const told = new Map<string, Outcome["state"][]>();
    const tasks = ["a", "b", "c", "d", "e"].map((name) => ({ name, act: act(name === "b") }));
    const failed = await doAll(tasks, (name, { state }) => told.set(name, [...(told.get(name) ?? []), state]), 2);
    expect(failed).toEqual(["b"]);
    expect(most).toBe(2);
    expect(told.get("b")).toEqual(["working", "failed"]);
    expect(told.get("e")).toEqual(["working", "done"]);
    expect(await doAll([], vi.fn())).toEqual([]);
    expect([counted(1, "unit"), counted(2, "unit")]).toEqual(["1 unit", "2 units"]);
  });
});

describe("what goes along", () => {
  const relation = (id: number, scope: string, ...applications: string[]): RelationInfo =>
    ({
      id,
      key: applications.join(" "),
      scope,
      life: "alive",
      endpoints: applications.map((application) => ({ application, name: "x", role: "provider", interface: "i", scope })),
    }) as unknown as RelationInfo;
  const model = {
    units: [unit("a/0"), unit("a/1", { machine: "1" }), unit("log/0", { principal: "a/0" }), unit("b/0", { machine: "1" })],
    machines: [
      { id: "0", units: ["a/0", "log/0"] },
      { id: "1", units: ["a/1", "b/0"] },
      { id: "2", units: [] },
    ] as unknown as MachineInfo[],
    relations: [relation(1, "container", "a", "log"), relation(2, "global", "a", "b")],
    storages: [{ id: "data/0", owner: "a/0", persistent: true, life: "alive", attachments: [{ unit: "a/0" }] }] as unknown as StorageInfo[],
  };

  it("with units are their subordinates, machines that only they use, and storage", () => {
    const along = alongWithUnits(["a/0"], model);
    expect(along.subordinates).toEqual(["log/0"]);
    expect(along.machines).toEqual(["0"]);
    expect(along.storages.map(({ storage }) => storage.id)).toEqual(["data/0"]);
    expect(alongWithUnits(["a/1"], model).machines).toEqual([]);
    expect(alongWithUnits(["a/1", "b/0"], model).machines).toEqual(["1"]);
  });

  it("with applications are units and relations too, each once", () => {
    const along = alongWithApplications(["a", "b"], model);
    expect(along.units).toEqual(["a/0", "a/1", "b/0"]);
    expect(along.subordinates).toEqual(["log/0"]);
    expect(along.machines).toEqual(["0", "1"]);
    expect(along.relations).toEqual(["a log", "a b"]);
    expect(along.storages).toHaveLength(1);
  });

  it("with machines are the units on them", () => {
    expect(alongWithMachines(["0"], model)).toMatchObject({ units: ["a/0"], subordinates: ["log/0"] });
    expect(alongWithMachines(["2"], model)).toMatchObject({ units: [], subordinates: [], storages: [] });
  });
});

describe("a refresh of many", () => {
  it("goes to the newest revision of the same charm", () => {
    const application = { "charm-name": "site", "charm-revision": 1 } as ApplicationInfo;
    const charm = (name: string, revision: number): CharmInfo => ({ name, revision, url: `local:${name}-${revision}` }) as CharmInfo;
    expect(newestOf(application, [charm("site", 3), charm("site", 2), charm("other", 9)])?.url).toBe("local:site-3");
    expect(newestOf(application, [charm("site", 1), charm("site", 0)])).toBeNull();
  });
});
