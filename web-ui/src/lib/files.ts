/** Files that a unit's charm keeps: their paths, and what is shown of a file's bytes. */

export const STATE = "/state";
/** Bytes of a text that are shown; a download has all of them. */
export const SHOWN = 256 << 10;
/** Bytes that are shown of a file that is no text. */
const DUMPED = 512;
/** Of a line of these; more would not fit on a phone. */
const LINE = 8;

/** How a look is asked for: once, when somebody wants it, and forgotten with the page. */
export const ONE_LOOK = {
  staleTime: Infinity,
  gcTime: 0,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  meta: { onRecord: true },
} as const;

export interface Crumb {
  name: string;
  path: string;
}

/** `/state`, and each directory down to the path itself. */
export function crumbs(path: string): Crumb[] {
  const below = path.split("/").filter(Boolean).slice(1);
  return [
    { name: STATE, path: STATE },
    ...below.map((name, depth) => ({ name, path: [STATE, ...below.slice(0, depth + 1)].join("/") })),
  ];
}

export const within = (directory: string, name: string): string => `${directory}/${name}`;

/** The directory that a path is in. */
export function parent(path: string): string {
  return crumbs(path).at(-2)?.path ?? STATE;
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? "";
}

/** Part of the page's address: a directory, or a file in one. */
export function fileSearch(kind: "path" | "file", path: string): string {
  return `?${new URLSearchParams({ view: "files", [kind]: path }).toString()}`;
}

// What no text has: control characters beside tabs, ends of lines, form feeds and escapes of colours.
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** The bytes as a text; null where they are none. The last character of a part may be cut in two. */
export function textOf(bytes: Uint8Array, whole: boolean): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole });
    return CONTROL.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** The first bytes, eight on a line: where they are, in base 16, and as characters. */
export function dump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, DUMPED); at += LINE) {
    const line = [...bytes.subarray(at, Math.min(at + LINE, DUMPED))];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const shown = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(LINE * 3 - 1)}  ${shown}`);
  }
  return lines.join("\n");
}

/** Whether there is more of a binary file than `dump` shows. */
export const isCut = (bytes: Uint8Array): boolean => bytes.length > DUMPED;
