import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

interface Properties {
  title: string;
  /** Beside the title. */
  aside?: ReactNode;
  /** Rises when the focus is to come here. */
  focusing: number;
  onClose: () => void;
  /** To the row before or after; undefined where there is none. */
  onStep: { before: (() => void) | undefined; after: (() => void) | undefined };
  children: ReactNode;
}

/** Details beside a list that stays where it is. Escape closes it. */
export function SidePanel({ title, aside, focusing, onClose, onStep, children }: Properties) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focusing > 0) heading.current?.focus({ preventScroll: true });
  }, [focusing]);
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || (event.target as Element).closest("dialog")) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <aside className="panel" aria-label={`Details of ${title}`} onKeyDown={key}>
      <header className="panel__head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {aside}
        <div className="panel__steps">
          <button type="button" className="icon-button" aria-label="Previous row" disabled={!onStep.before} onClick={onStep.before}>
            ↑
          </button>
          <button type="button" className="icon-button" aria-label="Next row" disabled={!onStep.after} onClick={onStep.after}>
            ↓
          </button>
          <button type="button" className="icon-button" aria-label="Close details" onClick={onClose}>
            ×
          </button>
        </div>
      </header>
      <div className="panel__body">{children}</div>
    </aside>
  );
}
