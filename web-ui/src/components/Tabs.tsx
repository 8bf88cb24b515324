import { NavLink } from "react-router";

export interface Tab {
  to: string;
  label: string;
  count?: number;
  end?: boolean;
}

/** Pages of one thing, each with its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ to, label: text, count, end = false }) => (
          <li key={to}>
            <NavLink to={to} end={end}>
              {text}
              {count !== undefined && <span className="tabs__count">{count}</span>}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
