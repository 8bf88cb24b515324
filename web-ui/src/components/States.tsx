/** What stands where there is nothing to show yet, nothing at all, or nothing but an error. */
import type { ReactNode } from "react";
import { ApiError } from "../api/client";
import { sentence } from "../lib/sentence";
import { CommandHint, CommandLine } from "./Commands";
import { Prose } from "./Prose";

export function Loading({ what, rows = 4 }: { what: string; rows?: number }) {
  return (
    <div className="loading" role="status">
      <span className="u-off-screen">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton" aria-hidden="true" />
      ))}
    </div>
  );
}

export function Empty({
  title,
  children,
  cli,
  action,
}: {
  title: string;
  children?: ReactNode;
  cli?: string;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h3 className="empty__title">{title}</h3>
      {children && <p>{children}</p>}
      {action}
      {cli && <CommandHint cli={cli} />}
    </div>
  );
}

/** An error in its three parts: what, why, what to do. */
export function Failure({
  error,
  cli,
  onRetry,
}: {
  error: unknown;
  cli?: string;
  onRetry?: () => void;
}) {
  const problem = error instanceof ApiError ? error.problem : null;
  const title = problem?.title ?? "Something went wrong on this page";
  // One command is enough: where the advice has one, that is it.
  const shown = problem?.advice?.includes("`") ? undefined : cli;
  const detail = problem?.detail ?? (error instanceof Error ? error.message : String(error));
  return (
    <div className="p-notification--negative" role="alert">
      <div className="p-notification__content">
        <h5 className="p-notification__title">{title}</h5>
        <p className="p-notification__message">
          {detail && (
            <>
              <Prose text={sentence(detail)} />{" "}
            </>
          )}
          {problem?.advice && (
            <>
              <Prose text={sentence(problem.advice)} />{" "}
            </>
          )}
          {shown && (
            <>
              On the command line: <CommandLine text={shown} />
            </>
          )}
        </p>
        {problem && <p className="failure__code">{problem.code}</p>}
      </div>
      {onRetry && (
        <div className="p-notification__meta">
          <button type="button" className="p-button is-small u-no-margin--bottom" onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
