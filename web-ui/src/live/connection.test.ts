// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, delayBefore, type Outage } from "./connection";
import { LiveState } from "./state";

class FakeSource extends EventTarget {
  static CLOSED = 2;
  static made: FakeSource[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(readonly address: string) {
    super();
    FakeSource.made.push(this);
  }

  close(): void {
    this.readyState = 2;
  }

  tell(name: string, body: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(body) }));
  }

  breaks(closed: boolean): void {
    this.readyState = closed ? 2 : 0;
    this.onerror?.();
  }
}

const latest = (): FakeSource => FakeSource.made.at(-1) as FakeSource;
const there = async (): Promise<boolean> => true;
const unit = { sequence: 1, model: "m", kind: "unit", key: "a/0", entity: { name: "a/0" } };

describe("Connection", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("EventSource", FakeSource);
    FakeSource.made = [];
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is live when the snapshot is whole and stale since it broke", () => {
    const state = new LiveState();
    const connection = new Connection("/v1/events", state, there);
    expect(connection.health.state).toBe("connecting");
    latest().tell("snapshot", unit);
    latest().tell("current", { sequence: 1 });
    expect(connection.health.state).toBe("live");
    vi.setSystemTime(5_000_000);
    latest().breaks(false);
    expect(connection.health).toMatchObject({ state: "stale", since: 5_000_000 });
    connection.close();
  });

  it("takes what there is from lists", () => {
    const state = new LiveState();
    const connection = new Connection("/v1/events?lists=true", state, there);
    latest().tell("snapshots", [unit, { ...unit, key: "site/1" }]);
    latest().tell("snapshots", [{ ...unit, key: "site/2" }]);
    expect(state.table(unit.model, "unit")).toHaveLength(0);
    latest().tell("current", { sequence: 1 });
    expect(state.table(unit.model, "unit")).toHaveLength(3);
    connection.close();
  });

  it("leaves a broken stream to the browser, which resumes it", () => {
    const connection = new Connection("/v1/events", new LiveState(), there);
    latest().tell("current", {});
    latest().breaks(false);
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.made).toHaveLength(1);
    latest().onopen?.();
    expect(connection.health.state).toBe("live");
    connection.close();
  });

  it("opens a refused stream anew, later each time, and asks whether anything is there", async () => {
    const asked = vi.fn(there);
    const connection = new Connection("/v1/events", new LiveState(), asked);
    latest().breaks(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(connection.health.state).toBe("stale");
    expect(FakeSource.made).toHaveLength(2);
    latest().breaks(true);
    await vi.advanceTimersByTimeAsync(900);
    expect(FakeSource.made).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSource.made).toHaveLength(3);
    connection.close();
  });

  it("says that nothing is there instead of loading for ever, and asks no more until told to", async () => {
    const nothing = vi.fn(async () => false);
    const connection = new Connection("/v1/models/gone/events", new LiveState(), nothing);
    latest().breaks(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connection.health.state).toBe("missing");
    expect(FakeSource.made).toHaveLength(1);
    connection.now();
    expect(connection.health.state).toBe("connecting");
    expect(FakeSource.made).toHaveLength(2);
    connection.close();
  });

  it("goes on trying when it cannot be asked whether anything is there", async () => {
    const silent = async (): Promise<boolean> => Promise.reject(new Error("no answer"));
    const connection = new Connection("/v1/events", new LiveState(), silent);
    latest().breaks(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSource.made).toHaveLength(2);
    connection.close();
  });

  it("keeps the time since when it is stale though another page is opened", () => {
    const outage: Outage = { began: null };
    const first = new Connection("/v1/events", new LiveState(), there, outage);
    latest().tell("current", {});
    vi.setSystemTime(5_000_000);
    latest().breaks(false);
    first.close();
    vi.setSystemTime(9_000_000);
    const second = new Connection("/v1/models/m/events", new LiveState(), there, outage);
    expect(second.health).toMatchObject({ state: "stale", since: 5_000_000 });
    latest().tell("current", {});
    expect(second.health.state).toBe("live");
    vi.setSystemTime(11_000_000);
    latest().breaks(false);
    expect(second.health).toMatchObject({ state: "stale", since: 11_000_000 });
    second.close();
  });

  it("says why the controller dropped it", () => {
    const connection = new Connection("/v1/events", new LiveState(), there);
    latest().tell("current", {});
    latest().tell("dropped", { code: "slow", reason: "too slow" });
    expect(connection.health).toMatchObject({ state: "stale", reason: "too slow" });
    connection.close();
  });

  it("does nothing more once closed", async () => {
    const connection = new Connection("/v1/events", new LiveState(), there);
    latest().breaks(true);
    connection.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSource.made).toHaveLength(1);
  });

  it("waits longer with each attempt, up to a bound", () => {
    expect(delayBefore(0, () => 0)).toBe(500);
    expect(delayBefore(3, () => 0)).toBe(4000);
    expect(delayBefore(50, () => 0)).toBe(15_000);
  });
});
