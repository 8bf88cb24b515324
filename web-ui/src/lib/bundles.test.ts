import { describe, expect, it } from "vitest";
import type { ApplicationInfo, BundleChange, BundleDifference } from "../api/types";
import { applyText, changeStates, differenceRows, excerpt, plannedTopology, refusedLine, sorted } from "./bundles";

const DIFFERENCE: BundleDifference = {
  applications: {
    added: { missing: "model" },
    gone: { missing: "bundle" },
    site: {
      charm: { bundle: "0123456789abcdef", model: "fedcba9876543210" },
      revision: { bundle: 0, model: 1 },
      channel: { bundle: "edge", model: null },
      num_units: { bundle: 2, model: 3 },
      options: { title: { bundle: null, model: "Shop" } },
      expose: { bundle: { "": {} }, model: { website: { "expose-to-cidrs": ["10.0.0.0/8"] } } },
    },
  },
  relations: { "bundle-additions": [["front:website", "site:website"]], "model-additions": [["a:x", "b:y"]] },
};

const change = (kind: BundleChange["kind"], more: Partial<BundleChange>): BundleChange => ({ kind, words: kind, ...more });

describe("what differs", () => {
  it("is a row for each thing, with both sides", () => {
    const rows = differenceRows(DIFFERENCE).map(({ of, what, bundle, model }) => [of, what, bundle, model]);
    expect(rows).toEqual([
      ["added", "application", "there", null],
      ["gone", "application", null, "there"],
      ["site", "charm", "0123456789ab", "fedcba987654"],
      ["site", "revision in the charm repository", "0", "1"],
      ["site", "channel", "edge", null],
      ["site", "units", "2", "3"],
      ["site", "option title", null, "Shop"],
      ["site", "exposed", "everybody", "website: 10.0.0.0/8"],
      ["front:website site:website", "relation", "there", null],
      ["a:x b:y", "relation", null, "there"],
    ]);
    expect(differenceRows({})).toEqual([]);
  });
});

describe("a refusal", () => {
  it("is shown at its line, and only where it has one in the bundle", () => {
    expect(refusedLine("line 3: application \"site\" names no charm")).toBe(3);
    expect(refusedLine("overlay 1, line 3: no")).toBeNull();
    const shown = excerpt("a\nb\nc\nd\ne\nf", 1);
    expect(shown.map(({ number, wrong }) => [number, wrong])).toEqual([[1, true], [2, false], [3, false]]);
  });
});

describe("the planned topology", () => {
  it("marks what is added, changed, and only in the model", () => {
    const application = (name: string): ApplicationInfo =>
      ({ name, status: { status: "active", message: "" }, units: [], charm: "local:x-0" }) as unknown as ApplicationInfo;
    const plan = {
      difference: DIFFERENCE,
      changes: [
        change("deploy", { application: "added", units: 2 }),
        change("configure", { application: "site" }),
        change("integrate", { endpoints: ["added:website", "site:website"] }),
      ],
    };
    const drawn = plannedTopology([application("site"), application("gone"), application("same")], [], plan);
    const marks = drawn.applications.map(({ name, mark, units }) => [name, mark, units]);
    expect(marks).toEqual([
      ["site", "changed", 0],
      ["gone", "removed", 0],
      ["same", undefined, 0],
      ["added", "added", 2],
    ]);
    expect(drawn.relations.map(({ endpoints }) => endpoints.map(({ application: name }) => name))).toEqual([
      ["added", "site"],
    ]);
  });
});

describe("an apply", () => {
  const changes = [change("deploy", {}), change("configure", {}), change("integrate", {})];
  it("says how far each change is", () => {
    expect(changeStates({ changes, taken: 1, state: "running" })).toEqual(["made", "running", "waiting"]);
    expect(changeStates({ changes, taken: 1, state: "failed" })).toEqual(["made", "failed", "waiting"]);
    expect(changeStates({ changes, taken: 1, state: "interrupted" })).toEqual(["made", "waiting", "waiting"]);
    expect(changeStates({ changes, taken: 3, state: "completed" })).toEqual(["made", "made", "made"]);
  });
  it("is told in one line", () => {
    expect(applyText({ changes, taken: 2, state: "interrupted" })).toBe("Interrupted after 2 of 3 changes");
    expect(applyText({ changes: [], taken: 0, state: "completed" })).toBe("The model already matched it");
  });
});

describe("files that are dropped", () => {
  it("are a bundle, its overlays and charms", () => {
    const files = ["overlay.yaml", "site.charm", "bundle.yaml", "notes.txt"].map((name) => new File([""], name));
    const found = sorted(files);
    expect(found.bundle?.name).toBe("bundle.yaml");
    expect(found.overlays.map(({ name }) => name)).toEqual(["overlay.yaml"]);
    expect(found.charms.map(({ name }) => name)).toEqual(["site.charm"]);
    expect(found.others.map(({ name }) => name)).toEqual(["notes.txt"]);
    expect(sorted([]).bundle).toBeNull();
  });
});
