import { type KeyboardEvent, useContext, useRef } from "react";
import type { Method } from "../api/client";
import { curl } from "../lib/commands";
import { CopyButton } from "./CopyButton";
import { Incomplete } from "./incomplete";

interface Request {
  method?: Method;
  path: string;
  body?: unknown;
}

/** What a page shows, as commands: folded away, since it is the last thing that most come for. */
export function CopyTools({ cli, request }: { cli: string; request: Request }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.stopPropagation();
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
  };
  return (
    <details ref={menu} className="copy-tools" onKeyDown={onKeyDown}>
      <summary>
        <code aria-hidden="true">&gt;_</code> <span>Show as command</span>
      </summary>
      <div className="copy-tools__body">
        <p>What this page shows, on the command line:</p>
        <CommandLine text={cli} />
        <div className="actions">
          <CopyButton text={cli} label="Copy as CLI" />
          <CopyButton text={curl(request.method ?? "GET", request.path, request.body)} label="Copy as curl" />
        </div>
      </div>
    </details>
  );
}

/** A command in lines that end only between its words: a part of an option would be read as another. */
export function CommandLine({ text }: { text: string }) {
  return (
    <code className="command-line">
      {text.split(/(\s+)/).map((piece, place) => (place % 2 === 0 ? <span key={place}>{piece}</span> : piece))}
    </code>
  );
}

interface HintProperties {
  cli: string;
  request?: Request;
  /** Requests that follow, each only when those before it are done. */
  then?: readonly Request[];
}

/** The commands that do what a form is about to do. */
export function CommandHint({ cli, request, then = [] }: HintProperties) {
  const incomplete = useContext(Incomplete);
  return (
    <div className="command-hint">
      <CommandLine text={cli} />
      <CopyButton text={cli} label="Copy as CLI" disabled={incomplete} />
      {request && (
        <CopyButton
          text={[request, ...then].map(({ method, path, body }) => curl(method ?? "GET", path, body)).join(" &&\n")}
          label="Copy as curl"
          disabled={incomplete}
        />
      )}
    </div>
  );
}
