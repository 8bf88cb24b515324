import type { Method } from "../api/client";
import { curl } from "../lib/commands";
import { CopyButton } from "./CopyButton";

interface Request {
  method?: Method;
  path: string;
  body?: unknown;
}

/** "Copy as CLI" and "Copy as curl" for what a page shows. */
export function CopyTools({ cli, request }: { cli: string; request: Request }) {
  return (
    <div className="copy-tools" role="group" aria-label="Copy as a command">
      <CopyButton text={cli} label="Copy as CLI" />
      <CopyButton text={curl(request.method ?? "GET", request.path, request.body)} label="Copy as curl" />
    </div>
  );
}

/** The commands that do what a form is about to do. */
export function CommandHint({ cli, request }: { cli: string; request?: Request }) {
  return (
    <div className="command-hint">
      <code>{cli}</code>
      <CopyButton text={cli} label="Copy as CLI" />
      {request && (
        <CopyButton
          text={curl(request.method ?? "GET", request.path, request.body)}
          label="Copy as curl"
        />
      )}
    </div>
  );
}
