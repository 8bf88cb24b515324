import { useLayoutEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";

export interface Tab {
  to: string;
  label: string;
  /** What of the address stays when one goes there, with its question mark. */
  search?: string;
  count?: number;
  end?: boolean;
}

/** What the tab of an address is called; nothing for the first, which is the thing itself. */
export function currentTab(tabs: readonly Tab[], pathname: string): string | undefined {
  return tabs.find(({ to, end }) => !end && (pathname === to || pathname.startsWith(`${to}/`)))?.label;
}

/** Pages of one thing, each with its own address. Where not all have room the chosen one is shown. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const strip = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useLayoutEffect(() => {
    const chosen = strip.current?.querySelector("a.active");
    if (strip.current && chosen) reveal(strip.current, chosen);
  }, [pathname]);
  return (
    <nav ref={strip} className="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ to, label: text, search = "", count, end = false }) => (
          <li key={to}>
            <NavLink to={to + search} end={end}>
              {text}
              {count !== undefined && <span className="tabs__count">{count}</span>}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Only sideways: the page itself stays where it is. */
function reveal(strip: HTMLElement, item: Element): void {
  const [around, inside] = [strip.getBoundingClientRect(), item.getBoundingClientRect()];
  const middle = (inside.left + inside.right) / 2 - (around.left + around.right) / 2;
  if (inside.left < around.left || inside.right > around.right) strip.scrollLeft += middle;
}
