/**
 * Keeps one event stream open: resumes after a break, and says since when what is shown is old.
 *
 * The browser resumes a broken stream by itself with `Last-Event-ID`; a stream the controller
 * refused or ended is opened anew, later each time, unless there is nothing to be seen there. While
 * the page has been hidden for a minute the stream is closed, because browsers allow few
 * connections to one host.
 */
import type { LiveEvent } from "../api/types";
import type { LiveState } from "./state";

export type Health =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "stale"; since: number; reason: string }
  /** The controller answers: there is no such thing for this visitor. It is not asked again. */
  | { state: "missing" };

/** Since when nothing came from the controller, whichever page is open: one for the whole tab. */
export interface Outage {
  began: { since: number; reason: string } | null;
}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;
const HIDDEN_FOR = 60_000;
const BROKEN = "the connection to the controller broke";

/** Milliseconds before attempt number `attempt`, with up to a quarter more by chance. */
export function delayBefore(attempt: number, random: () => number = Math.random): number {
  const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 10));
  return delay * (1 + random() / 4);
}

export class Connection {
  health: Health = { state: "connecting" };
  private source: EventSource | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private closed = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly address: string,
    private readonly state: LiveState,
    /** Asked when the controller refused the stream: is there something to be seen at all? */
    private readonly isThere: () => Promise<boolean>,
    private readonly outage: Outage = { began: null },
  ) {
    if (outage.began) this.health = { state: "stale", ...outage.began };
    document.addEventListener("visibilitychange", this.visibility);
    window.addEventListener("online", this.now);
    this.open();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Tries at once instead of after the delay. */
  now = (): void => {
    if (this.closed || this.health.state === "live") return;
    if (this.health.state === "missing") this.set({ state: "connecting" });
    this.attempt = 0;
    this.open();
  };

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.hiddenTimer);
    this.source?.close();
    document.removeEventListener("visibilitychange", this.visibility);
    window.removeEventListener("online", this.now);
  }

  private open(): void {
    clearTimeout(this.timer);
    this.source?.close();
    // A stream opened anew begins with a snapshot.
    this.state.begin();
    const source = new EventSource(this.address);
    this.source = source;
    const data = (event: Event): LiveEvent => JSON.parse((event as MessageEvent<string>).data);
    source.addEventListener("snapshot", (event) => this.state.snapshot(data(event)));
    source.addEventListener("snapshots", (event) => {
      const events: LiveEvent[] = JSON.parse((event as MessageEvent<string>).data);
      for (const event of events) this.state.snapshot(event);
    });
    source.addEventListener("change", (event) => {
      this.live();
      this.state.change(data(event));
    });
    source.addEventListener("reset", () => this.state.begin());
    source.addEventListener("current", () => {
      this.state.current();
      this.live();
    });
    source.addEventListener("dropped", (event) => {
      source.close();
      this.stale(reasonOf(event));
      this.later();
    });
    source.onopen = () => {
      this.attempt = 0;
      // A resumed stream may stay silent until something changes.
      if (this.state.ready) this.live();
    };
    source.onerror = () => {
      // A snapshot that broke off is begun anew; after a whole one only what came since is sent.
      if (this.state.staging) this.state.begin();
      if (source.readyState === EventSource.CLOSED) void this.refused(source);
      else this.stale(BROKEN);
    };
  }

  private async refused(source: EventSource): Promise<void> {
    if (this.health.state === "live") this.stale(BROKEN);
    const there = await this.isThere().catch(() => true);
    if (this.closed || this.source !== source) return;
    if (there) {
      this.stale(BROKEN);
      this.later();
    } else {
      this.outage.began = null;
      this.set({ state: "missing" });
    }
  }

  private later(): void {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), delayBefore(this.attempt));
    this.attempt += 1;
  }

  private live(): void {
    this.outage.began = null;
    if (this.health.state !== "live") this.set({ state: "live" });
  }

  private stale(reason: string): void {
    if (this.health.state === "stale") return;
    this.outage.began ??= { since: Date.now(), reason };
    this.set({ state: "stale", ...this.outage.began });
  }

  private set(health: Health): void {
    this.health = health;
    for (const listener of this.listeners) listener();
  }

  private visibility = (): void => {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) {
      this.hiddenTimer = setTimeout(() => {
        this.source?.close();
        clearTimeout(this.timer);
        this.stale("this page was in the background");
      }, HIDDEN_FOR);
    } else if (this.health.state === "stale") {
      this.now();
    }
  };
}

function reasonOf(event: Event): string {
  const text = (event as MessageEvent<string>).data;
  try {
    const body = JSON.parse(text) as { reason?: string; message?: string } | string;
    if (typeof body === "string") return body;
    return body.reason ?? body.message ?? text;
  } catch {
    return text || "the controller ended the stream";
  }
}
