/** Which option an error of the controller is about: `option "port" expects an integer, …`. */
import { ApiError } from "../api/client";
import { sentence } from "./sentence";

export function configErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const named = /option "([^"]+)"/.exec(error.problem.detail ?? "");
  return named?.[1] ? { [named[1]]: error.problem.detail ?? "" } : {};
}

/** The error in one line, with what to do. */
export function errorText(error: unknown): string | null {
  if (error == null) return null;
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 412 || error.status === 409) {
    return `${sentence(error.message)} Somebody may have changed it meanwhile: reload the values and review the changes again.`;
  }
  const { title, detail, advice } = error.problem;
  return [detail || title, advice ?? ""].map(sentence).filter(Boolean).join(" ");
}
