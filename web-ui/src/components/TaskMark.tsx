import type { TaskStatus } from "../api/types";
import { StatusMark } from "./charts";

/** The status of a task or an operation. A running one looks like a hook that runs: what is done looks otherwise. */
export function TaskMark({ status }: { status: TaskStatus }) {
  return <StatusMark status={status} like={status === "running" ? "executing" : status} />;
}
