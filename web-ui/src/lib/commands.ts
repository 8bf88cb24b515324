/** The same thing on the command line and with curl. */
import type { Method } from "../api/client";
import type { ConfigChange } from "../api/types";

/** A word as a POSIX shell takes it. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export function command(...words: (string | false | null | undefined)[]): string {
  return ["periapt", ...words.filter((word): word is string => Boolean(word)).map(quote)].join(" ");
}

export function configCommand(model: string, application: string, change: ConfigChange): string {
  const settings = Object.entries(change.set).map(([key, value]) => `${key}=${String(value)}`);
  const reset = change.reset.length > 0 && ["--reset", change.reset.join(",")];
  return command("config", "-m", model, application, ...settings, ...(reset || []));
}

/** Credentials stand in the environment, never in the text. */
export function curl(method: Method, path: string, body?: unknown, origin = location.origin): string {
  const lines = [
    `curl --fail-with-body --cacert ca.pem${method === "GET" ? "" : ` -X ${method}`} \\`,
    `  -H "Authorization: Bearer $PERIAPT_TOKEN" \\`,
  ];
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json' \\`);
    lines.push(`  -d ${quote(JSON.stringify(body))} \\`);
  }
  lines.push(`  ${quote(origin + path)}`);
  return lines.join("\n");
}
