import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/client";
import type { BundleApply } from "../../api/types";
import { follow, type Followed } from "./useApply";

const apply = (taken: number, state: BundleApply["state"] = "running"): BundleApply => ({
  id: 1,
  name: "",
  user: "ann",
  state,
  changes: [],
  taken,
  message: "",
  "started-at": "2026-11-27T15:00:00Z",
});

/** Follows one of which these answers come; returns what it was told and what it asked. */
async function followed(answers: (BundleApply | Error)[]): Promise<{ told: Followed[]; asked: number[]; paused: number }> {
  const told: Followed[] = [];
  const asked: number[] = [];
  let paused = 0;
  const ask = (taken: number): Promise<BundleApply> => {
    asked.push(taken);
    const answer = answers.shift();
    if (!answer) throw new Error("asked too often");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const pause = (): Promise<void> => {
    paused += 1;
    return Promise.resolve();
  };
  await follow(apply(0), { ask, tell: (heard) => told.push(heard), pause }, new AbortController().signal);
  return { told, asked, paused };
}

describe("following a bundle", () => {
  it("asks for more than is known until it has ended", async () => {
    const { told, asked } = await followed([apply(1), apply(2), apply(2, "completed")]);
    expect(asked).toEqual([0, 1, 2]);
    expect(told.at(-1)?.apply.state).toBe("completed");
  });
  it("goes on after a break", async () => {
    const { told, asked, paused } = await followed([new TypeError("gone"), apply(3, "interrupted")]);
    expect(asked).toEqual([0, 0]);
    expect(paused).toBe(1);
    expect(told.map(({ silent }) => silent)).toEqual([true, false]);
  });
  it("ends where the controller refuses", async () => {
    const problem = { status: 404, code: "bundle-not-found", title: "", detail: "", advice: "" };
    const { told, asked } = await followed([new ApiError(problem)]);
    expect(asked).toEqual([0]);
    expect(told.at(-1)?.error).toBeInstanceOf(ApiError);
  });
});
