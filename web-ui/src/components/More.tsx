import { type ReactNode, useEffect, useState } from "react";

interface Properties {
  summary: string;
  /** Something inside has to be seen: it opens then, and can be closed all the same. */
  needed: boolean;
  children: ReactNode;
}

/** What few need, behind one line. */
export function More({ summary, needed, children }: Properties) {
  const [open, setOpen] = useState(needed);
  useEffect(() => {
    if (needed) setOpen(true);
  }, [needed]);
  return (
    <details className="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
