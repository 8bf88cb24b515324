import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";
import { takesText } from "../lib/typing";
import { useVisitor } from "../session";

export interface Crumb {
  to: string;
  label: string;
}

interface Properties {
  title: string;
  /** Which of the pages of this thing; named first in the browser's tab. */
  page?: string | undefined;
  /** How many incidents there are; told first in the browser's tab. */
  wrong?: number;
  crumbs?: Crumb[];
  /** Beside the title: a status. */
  aside?: ReactNode;
  /** Under the title. */
  summary?: ReactNode;
  actions?: ReactNode;
  tools?: ReactNode;
}

/** Title, way back and actions; names the browser's tab and takes the focus on a new page. */
export function PageHead({ title, page, wrong = 0, crumbs = [], aside, summary, actions, tools }: Properties) {
  const controller = useVisitor().whoami?.controller;
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  const first = useRef(key === "default");
  useEffect(() => {
    const places = crumbs.map(({ label }) => label).reverse();
    const count = wrong > 0 ? `(${wrong}) ` : "";
    document.title = count + [page, title, ...places, controller, "Periapt"].filter(Boolean).join(" · ");
  });
  useEffect(() => {
    // After a change of page a screen reader starts here, not where the old page was; but somebody who already types
    // into the search field goes on.
    if (first.current) first.current = false;
    else if (!takesText(document.activeElement)) heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <header className="page-head">
      {crumbs.length > 0 && (
        <nav className="crumbs" aria-label="Breadcrumbs">
          <ol>
            {crumbs.map(({ to, label }) => (
              <li key={to}>
                <Link to={to}>{label}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="page-head__row">
        <div className="page-head__title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {actions && <div className="page-head__actions">{actions}</div>}
      </div>
      {(summary || tools) && (
        <div className="page-head__row page-head__row--sub">
          <div className="page-head__summary">{summary}</div>
          {tools}
        </div>
      )}
    </header>
  );
}
