/** The address of a page, for another device. */

export interface PhoneAddress {
  url: string;
  /** Its host means this computer on this computer, and the phone itself on a phone. */
  local: boolean;
}

/** What stands behind `#` is left out: it may be a one-time token. */
export function phoneAddress({ origin, pathname, search, hostname }: Pick<Location, "origin" | "pathname" | "search" | "hostname">): PhoneAddress {
  return { url: `${origin}${pathname}${search}`, local: isLoopback(hostname) };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
