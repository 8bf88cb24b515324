// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, delayBefore } from "./connection";
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
    const connection = new Connection("/v1/events", state, () => {});
    expect(connection.health.state).toBe("connecting");
    latest().tell("snapshot", unit);
    latest().tell("current", { sequence: 1 });
    expect(connection.health.state).toBe("live");
    vi.setSystemTime(5_000_000);
    latest().breaks(false);
    expect(connection.health).toMatchObject({ state: "stale", since: 5_000_000 });
    connection.close();
  });

  it("leaves a broken stream to the browser, which resumes it", () => {
    const connection = new Connection("/v1/events", new LiveState(), () => {});
    latest().tell("current", {});
    latest().breaks(false);
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.made).toHaveLength(1);
    latest().onopen?.();
    expect(connection.health.state).toBe("live");
    connection.close();
  });

  it("opens a refused stream anew, later each time, and asks for the session", () => {
    const refused = vi.fn();
    const connection = new Connection("/v1/events", new LiveState(), refused);
    latest().breaks(true);
    expect(refused).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(FakeSource.made).toHaveLength(2);
    latest().breaks(true);
    vi.advanceTimersByTime(900);
    expect(FakeSource.made).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(FakeSource.made).toHaveLength(3);
    connection.close();
  });

  it("says why the controller dropped it", () => {
    const connection = new Connection("/v1/events", new LiveState(), () => {});
    latest().tell("current", {});
    latest().tell("dropped", { code: "slow", reason: "too slow" });
    expect(connection.health).toMatchObject({ state: "stale", reason: "too slow" });
    connection.close();
  });

  it("does nothing more once closed", () => {
    const connection = new Connection("/v1/events", new LiveState(), () => {});
    latest().breaks(true);
    connection.close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.made).toHaveLength(1);
  });

  it("waits longer with each attempt, up to a bound", () => {
    expect(delayBefore(0, () => 0)).toBe(500);
    expect(delayBefore(3, () => 0)).toBe(4000);
    expect(delayBefore(50, () => 0)).toBe(15_000);
  });
});
