import { type RefObject, useLayoutEffect, useRef } from "react";
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
  const { pathname } = useLocation();
  const strip = useReveal<HTMLElement>(`${pathname} ${tabs.length}`);
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

/**
 * A strip of tabs that shows the chosen one: as soon as another is chosen, and again whenever the strip or a tab gets
 * another width, as when a count or a font arrives.
 */
export function useReveal<Strip extends HTMLElement>(chosen: string): RefObject<Strip | null> {
  const strip = useRef<Strip>(null);
  useLayoutEffect(() => {
    const element = strip.current;
    if (!element) return;
    const show = (): void => {
      const item = element.querySelector('a.active, [aria-selected="true"]');
      if (item) reveal(element, item);
    };
    show();
    if (typeof ResizeObserver === "undefined") return;
    const sizes = new ResizeObserver(show);
    for (const each of [element, ...element.querySelectorAll("a, button")]) sizes.observe(each);
    return () => sizes.disconnect();
  }, [chosen]);
  return strip;
}

/** Only sideways: the page itself stays where it is. */
function reveal(strip: HTMLElement, item: Element): void {
  const [around, inside] = [strip.getBoundingClientRect(), item.getBoundingClientRect()];
  const middle = (inside.left + inside.right) / 2 - (around.left + around.right) / 2;
  if (inside.left < around.left || inside.right > around.right) strip.scrollLeft += middle;
}
