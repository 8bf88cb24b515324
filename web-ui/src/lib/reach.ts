/** Who reaches an application from outside, in words and links. */
import type { ApplicationInfo, Expose } from "../api/types";

/**
 * Where one unit is found by name: as its application, under a name of its own. It is not while it has no
 * port of TCP open itself, whatever other units of its application have.
 */
export function unitUrl(
  application: ApplicationInfo | undefined,
  unit: string,
  open: readonly string[],
): string | null {
  if (!application?.url || !open.some((ports) => ports.endsWith("/tcp"))) return null;
  return application.url.replace(`//${application.name}.`, `//${unit.replace("/", "-")}.`);
}

const EVERYBODY = "0.0.0.0/0,::/0";

/** `everybody`, `10.0.0.0/8, fd00::/8`. */
export function whomOf(cidrs: readonly string[]): string {
  return cidrs.join(",") === EVERYBODY ? "everybody" : cidrs.join(", ");
}

/** `to everybody`, `website to 10.0.0.0/8`, `no`. */
export function exposure(application: ApplicationInfo): string {
  const endpoints = Object.entries(application["exposed-endpoints"]);
  if (endpoints.length === 0) return "no";
  const words = endpoints.map(([name, to]) => {
    const whom = whomOf(to["expose-to-cidrs"] ?? []);
    return name ? `${name} to ${whom}` : `to ${whom}`;
  });
  return words.join("; ");
}

/** Words separated by commas or blanks. */
export function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** What is asked for, in the controller's shape; nothing named is all of it to everybody. */
export function exposeRequest(endpoints: readonly string[], cidrs: readonly string[]): Expose {
  const to = cidrs.length > 0 ? { "expose-to-cidrs": [...cidrs] } : {};
  const names = endpoints.length > 0 ? endpoints : [""];
  return { "exposed-endpoints": Object.fromEntries(names.map((name) => [name, to])) };
}
