import { describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "../api/types";
import { LiveState } from "./state";

const event = (key: string, entity: unknown, model = "m", kind = "unit"): LiveEvent => ({
  sequence: 1,
  model,
  kind,
  key,
  entity,
});

/** A state whose readers are told when the test says so. */
function manual(): { state: LiveState; flush: () => void } {
  let waiting: (() => void)[] = [];
  const state = new LiveState((flush) => waiting.push(flush));
  return {
    state,
    flush: () => {
      const now = waiting;
      waiting = [];
      for (const each of now) each();
    },
  };
}

describe("LiveState", () => {
  it("shows nothing of a snapshot before it is whole", () => {
    const { state } = manual();
    state.begin();
    state.snapshot(event("site/0", { name: "site/0" }));
    expect(state.ready).toBe(false);
    expect(state.table("m", "unit")).toEqual([]);
    state.current();
    expect(state.ready).toBe(true);
    expect(state.table("m", "unit")).toEqual([{ name: "site/0" }]);
  });

  it("drops what a new snapshot no longer has, without showing it half", () => {
    const { state } = manual();
    state.snapshot(event("site/0", { name: "site/0" }));
    state.snapshot(event("site/1", { name: "site/1" }));
    state.current();
    state.begin();
    state.snapshot(event("site/1", { name: "site/1" }));
    expect(state.table("m", "unit")).toHaveLength(2);
    state.current();
    expect(state.table("m", "unit")).toEqual([{ name: "site/1" }]);
  });

  it("keeps what is known when a resumed stream is current at once", () => {
    const { state } = manual();
    state.snapshot(event("site/0", { name: "site/0" }));
    state.current();
    state.current();
    expect(state.table("m", "unit")).toHaveLength(1);
  });

  it("applies changes and removals, and changes only the arrays concerned", () => {
    const { state } = manual();
    state.snapshot(event("site/0", { name: "site/0" }));
    state.snapshot(event("0", { id: "0" }, "m", "machine"));
    state.current();
    const machines = state.table("m", "machine");
    state.change(event("site/1", { name: "site/1" }));
    expect(state.table("m", "unit")).toHaveLength(2);
    expect(state.table("m", "machine")).toBe(machines);
    state.change(event("site/0", null));
    expect(state.table("m", "unit")).toEqual([{ name: "site/1" }]);
  });

  it("tells its readers once of many changes", () => {
    const { state, flush } = manual();
    state.current();
    flush();
    const reader = vi.fn();
    state.subscribe(reader);
    for (let number = 0; number < 1000; number += 1) {
      state.change(event(`site/${number}`, { number }));
    }
    expect(reader).not.toHaveBeenCalled();
    flush();
    expect(reader).toHaveBeenCalledTimes(1);
    expect(state.table("m", "unit")).toHaveLength(1000);
  });

  it("keeps the last of what comes without end", () => {
    const { state } = manual();
    state.current();
    for (let number = 0; number < 250; number += 1) {
      state.change(event(String(number), { number }, "m", "operation"));
      state.change(event("0", { number: 0 }, "m", "operation"));
    }
    const kept = state.table<{ number: number }>("m", "operation").map(({ number }) => number);
    expect(kept).toHaveLength(200);
    expect(kept).toContain(0);
    expect(kept).toContain(249);
    expect(kept).not.toContain(1);
    state.change(event("249", null, "m", "operation"));
    expect(state.table("m", "operation")).toHaveLength(199);
  });

  it("lists a kind over all models, with the model of each", () => {
    const { state, flush } = manual();
    state.snapshot(event("a", { name: "a" }, "one", "model"));
    state.snapshot(event("b", { name: "b" }, "two", "model"));
    state.current();
    flush();
    expect(state.everywhere("model")).toEqual([
      { model: "one", entity: { name: "a" } },
      { model: "two", entity: { name: "b" } },
    ]);
    state.change(event("c", { name: "c" }, "three", "model"));
    flush();
    expect(state.everywhere("model")).toHaveLength(3);
  });
});
