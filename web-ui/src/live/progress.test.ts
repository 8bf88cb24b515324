import { describe, expect, it } from "vitest";
import { ApiError, unreachable } from "../api/client";
import type { TaskInfo, TaskStatus } from "../api/types";
import { follow, type Heard, Turns } from "./progress";
import { timeText } from "../components/charts/time";

const task = (status: TaskStatus, ...lines: string[]): TaskInfo => ({
  id: 2,
  operation: 1,
  unit: "site/0",
  action: "rebuild",
  status,
  message: "",
  "enqueued-at": timeText(1),
  parallel: false,
  log: lines.map((message, place) => ({ time: timeText(place), message })),
});

/** Follows a controller that gives these answers in turn. */
async function followed(...answers: (TaskInfo | Error)[]): Promise<{ heard: Heard[]; asked: number[][]; paused: number[] }> {
  const heard: Heard[] = [];
  const asked: number[][] = [];
  const paused: number[] = [];
  const stop = new AbortController();
  let now = 1_000;
  await follow(
    {
      ask: async (lines, wait) => {
        asked.push([lines, wait]);
        const answer = answers.shift();
        if (!answer) stop.abort();
        if (!answer || answer instanceof Error) throw answer ?? new Error("aborted");
        return answer;
      },
      tell: (told) => heard.push(told),
      pause: async (milliseconds) => {
        paused.push(Math.floor(milliseconds / 1000));
        now += milliseconds;
      },
      now: () => now,
    },
    stop.signal,
  );
  return { heard, asked, paused };
}

const words = ({ lines }: Heard): string => lines.map(({ message }) => message).join(" ");

describe("the progress of a task", () => {
  it("is asked for from where it is known, until the task has ended", async () => {
    const { heard, asked } = await followed(task("running", "a", "b"), task("running", "c"), task("completed"));
    expect(heard.map(words)).toEqual(["a b", "a b c", "a b c"]);
    expect(asked).toEqual([[0, 0], [2, 20], [3, 20]]);
    expect(heard.at(-1)?.task?.status).toBe("completed");
  });

  it("says since when nothing is heard, and goes on where it was", async () => {
    const { heard, asked, paused } = await followed(
      task("running", "a"),
      unreachable(),
      unreachable(),
      task("running"),
      task("completed", "b"),
    );
    expect(heard.map(({ silentSince }) => silentSince)).toEqual([null, 1_000, 1_000, null, null]);
    expect(heard.map(words)).toEqual(["a", "a", "a", "a", "a b"]);
    expect(asked).toEqual([[0, 0], [1, 20], [1, 0], [1, 0], [1, 20]]);
    expect(paused.slice(0, 2)).toEqual([0, 1]);
  });

  it("does not ask in a hurry for what says nothing new", async () => {
    const { heard, paused } = await followed(task("pending"), task("pending"), task("pending"));
    expect(heard).toHaveLength(1);
    expect(paused).toEqual([1, 1]);
  });

  it("ends where there is no such task", async () => {
    const gone = new ApiError({ status: 404, code: "task-not-found", title: "Not found" });
    const { heard, asked } = await followed(task("running", "a"), gone, task("completed"));
    expect(heard.at(-1)).toMatchObject({ error: gone });
    expect(asked).toHaveLength(2);
    const busy = new ApiError({ status: 429, code: "too-many-requests", title: "Busy" });
    expect((await followed(busy, task("completed"))).heard.at(-1)?.task?.status).toBe("completed");
  });
});

describe("turns", () => {
  it("let so many in at once, and the others in their order", async () => {
    const turns = new Turns(1);
    const entered: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await turns.take();
      entered.push(name);
      return leave;
    };
    const first = await enter("a");
    const second = enter("b");
    const third = enter("c");
    expect(turns.wanted).toBe(true);
    first();
    first();
    (await second)();
    (await third)();
    expect(entered).toEqual(["a", "b", "c"]);
    expect(turns.wanted).toBe(false);
    (await enter("d"))();
  });
});
