/** The frame of every page: where one can go, whether it is live, who is signed in. */
import { type ReactNode, useEffect, useState } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { useHealth } from "../live/context";
import { useSuperuser, useVisitor } from "../session";
import { AlertNotifier } from "./AlertNotifier";
import { ControllerSwitch } from "./ControllerSwitch";
import { ErrorBoundary } from "./ErrorBoundary";
import { FaviconBadge } from "./FaviconBadge";
import { LiveBadge } from "./LiveBadge";
import { Logo } from "./Logo";
import { PhoneDialog } from "./PhoneDialog";
import { Search } from "./Search";
import { ThemeSwitch } from "./ThemeSwitch";

interface Place {
  to: string;
  label: string;
  superuser?: boolean;
}

const PLACES: Place[] = [
  { to: "/models", label: "Models" },
  { to: "/alerts", label: "Alerts" },
  { to: "/audit", label: "Audit", superuser: true },
  { to: "/controller", label: "Controller" },
  { to: "/users", label: "Users", superuser: true },
];

export function Shell({ model = null, children }: { model?: string | null; children: ReactNode }) {
  const { session, whoami } = useVisitor();
  const superuser = useSuperuser();
  const stale = useHealth().health.state === "stale";
  const [open, setOpen] = useState(false);
  const [phone, setPhone] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <div className={`shell ${open ? "is-open" : ""} ${stale ? "is-stale" : ""}`}>
      <AlertNotifier />
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="side">
        <div className="side__brand">
          <Link to="/models" className="brand">
            <Logo size={28} />
            <span>Periapt</span>
          </Link>
          <button
            type="button"
            className="side__toggle"
            aria-expanded={open}
            aria-controls="navigation"
            onClick={() => setOpen(!open)}
          >
            Menu
          </button>
        </div>
        <nav id="navigation" className="side__nav" aria-label="Main">
          <ul>
            {PLACES.filter((place) => superuser || !place.superuser).map(({ to, label }) => (
              <li key={to}>
                <NavLink to={to}>{label}</NavLink>
              </li>
            ))}
          </ul>
          <div className="side__foot">
            {whoami && <ControllerSwitch name={whoami.controller} />}
            <NavLink to="/account">{session?.user ?? "Account"}</NavLink>
            <button type="button" className="side__phone" onClick={() => setPhone(true)}>
              Open on a phone
            </button>
            <ThemeSwitch />
          </div>
        </nav>
      </header>
      <div className="top">
        <Search model={model} />
        <LiveBadge />
        <FaviconBadge />
      </div>
      <main id="content" className="page" tabIndex={-1}>
        {stale && (
          <p className="stale-note" role="note">
            Not live: this page shows an earlier state. Changes made here may not reach the controller.
          </p>
        )}
        <ErrorBoundary key={pathname}>{children}</ErrorBoundary>
      </main>
      {phone && <PhoneDialog onClose={() => setPhone(false)} />}
    </div>
  );
}
