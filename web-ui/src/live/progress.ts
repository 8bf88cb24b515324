/**
 * What a task tells while it runs, and its results once it has ended: a request waits until there is more.
 *
 * Browsers allow few connections to one host, so that few tasks are waited for at once and others take turns.
 */
import { useEffect, useState } from "react";
import { tasks } from "../api";
import { ApiError } from "../api/client";
import type { TaskInfo, TaskLine } from "../api/types";
import { hasEnded } from "../lib/operations";
import { delayBefore } from "./connection";

/** What is known of a task. */
export interface Heard {
  task: TaskInfo | null;
  lines: readonly TaskLine[];
  /** Since when nothing is heard of it, milliseconds; none while it is. */
  silentSince: number | null;
  /** Why it is not asked for any more. */
  error: unknown;
}

export const NOTHING: Heard = { task: null, lines: [], silentSince: null, error: null };

/** Seconds that one request waits at most; fewer while another task waits for its turn. */
const WAIT = 20;
const SHORT_WAIT = 3;
/** An answer that says nothing new is not asked for again before this, milliseconds. */
const BREATH = 1_000;

/** Places for so many at once; who finds none waits for their turn. */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  get wanted(): boolean {
    return this.waiting.length > 0;
  }

  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((turn) => this.waiting.push(turn));
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    };
  }
}

const turns = new Turns(2);

export interface World {
  ask: (lines: number, wait: number) => Promise<TaskInfo>;
  tell: (heard: Heard) => void;
  pause: (milliseconds: number) => Promise<void>;
  now: () => number;
}

/** Asks until the task has ended, there is none, or nobody is interested any more. */
export async function follow({ ask, tell, pause, now }: World, signal: AbortSignal): Promise<void> {
  let heard = NOTHING;
  let failures = 0;
  while (!signal.aborted) {
    const began = now();
    try {
      // The first answer is wanted at once, and so is one after a break.
      const task = await ask(heard.lines.length, heard.task && failures === 0 ? WAIT : 0);
      if (signal.aborted) return;
      const more = task.log ?? [];
      const isNews = more.length > 0 || heard.task?.status !== task.status;
      const lines = more.length > 0 ? [...heard.lines, ...more] : heard.lines;
      if (isNews || failures > 0) tell((heard = { task, lines, silentSince: null, error: null }));
      failures = 0;
      if (hasEnded(task.status)) return;
      if (!isNews && now() - began < BREATH) await pause(BREATH);
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) return tell({ ...heard, error });
      tell((heard = { ...heard, silentSince: heard.silentSince ?? now() }));
      await pause(delayBefore(failures));
      failures += 1;
    }
  }
}

/** What the controller decided it decides again; but it may be busy, or not there. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);
}

/** Until then, or until nobody is interested. */
function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener("abort", over);
  });
}

/** Follows a task as long as the page shows it. */
export function useProgress(model: string, id: number): Heard {
  const [heard, setHeard] = useState(NOTHING);
  useEffect(() => {
    setHeard(NOTHING);
    const stop = new AbortController();
    const { signal } = stop;
    const ask = async (lines: number, wait: number): Promise<TaskInfo> => {
      const leave = await turns.take();
      try {
        signal.throwIfAborted();
        const seconds = turns.wanted ? Math.min(wait, SHORT_WAIT) : wait;
        return await tasks.show(model, id, { lines, wait: seconds }, signal);
      } finally {
        leave();
      }
    };
    const pause = (milliseconds: number): Promise<void> => pauseFor(milliseconds, signal);
    void follow({ ask, tell: setHeard, pause, now: Date.now }, signal);
    return () => stop.abort();
  }, [model, id]);
  return heard;
}
