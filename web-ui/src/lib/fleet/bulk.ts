/** The same change of many things: a few at a time, each with its own result. */

export type Outcome = { state: "waiting" | "working" | "done" } | { state: "failed"; error: unknown };

export interface Task {
  /** What it is called. */
  name: string;
  act: () => Promise<unknown>;
}

/** So many requests are under way at once: quick for many, and no flood for the controller. */
const AT_ONCE = 4;

/**
 * Does all of it; what fails stops nothing else. `told` hears of each step. Resolves with the names
 * of those that failed.
 */
export async function doAll(
  tasks: readonly Task[],
  told: (name: string, outcome: Outcome) => void,
  atOnce = AT_ONCE,
): Promise<string[]> {
  const failed: string[] = [];
  const left = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = left.shift(); task; task = left.shift()) {
      told(task.name, { state: "working" });
      try {
        await task.act();
        told(task.name, { state: "done" });
      } catch (error) {
        failed.push(task.name);
        told(task.name, { state: "failed", error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, worker));
  return failed;
}

/** `3 units`, `1 unit`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
