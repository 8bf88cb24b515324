/**
 * Controllers whose pages this browser knows: the one that this page is of, and those that the visitor added. A page
 * keeps what it knows for itself, since a browser keeps the storage of each address apart.
 */
import { useSyncExternalStore } from "react";

export interface KnownController {
  /** `https://HOST:PORT`. */
  origin: string;
  name: string;
}

const KEY = "periapt-controllers";
const MOST = 50;
const listeners = new Set<() => void>();

/** How long a controller may take to answer. */
const PATIENCE = 5_000;

/** What a typed address is the address of; nothing for what is no address of a controller. */
export function originOf(typed: string): string | null {
  const text = typed.trim();
  if (text === "" || /\s/.test(text)) return null;
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
    return url.protocol === "https:" && url.hostname !== "" && url.username === "" ? url.origin : null;
  } catch {
    return null;
  }
}

function isKnown(value: unknown): value is KnownController {
  const { origin, name } = (value ?? {}) as Partial<KnownController>;
  return typeof origin === "string" && typeof name === "string" && originOf(origin) === origin;
}

/** What is stored, as far as it makes sense. */
export function parse(stored: string | null): KnownController[] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isKnown).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** The same with another, or with another name for one. */
export function withController(known: readonly KnownController[], one: KnownController): KnownController[] {
  const others = known.filter(({ origin }) => origin !== one.origin);
  return [...others, one].sort((a, b) => a.name.localeCompare(b.name) || a.origin.localeCompare(b.origin)).slice(0, MOST);
}

let cached: { text: string | null; known: KnownController[] } = { text: null, known: [] };

function known(): KnownController[] {
  let text: string | null = null;
  try {
    text = localStorage.getItem(KEY);
  } catch {
    // Without storage no other controller is known.
  }
  if (text !== cached.text) cached = { text, known: parse(text) };
  return cached.known;
}

function store(all: readonly KnownController[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

export function remember(one: KnownController): void {
  const before = known();
  if (before.some(({ origin, name }) => origin === one.origin && name === one.name)) return;
  store(withController(before, one));
}

export function forget(origin: string): void {
  store(known().filter((each) => each.origin !== origin));
}

export function useControllers(): readonly KnownController[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      removeEventListener("storage", listener);
    };
  }, known);
}

/** The page of another controller that is like this one: of a model the model, whose parts may be others there. */
export function pageThere(origin: string, pathname: string): string {
  const [, models, model] = pathname.split("/");
  return origin + (models === "models" && model ? `/models/${model}` : pathname);
}

/**
 * Whether a controller answers. A browser lets a page of one address know no more of another, and refuses a
 * certificate that it was not told to trust: that looks as if nobody were there.
 */
export async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/health`, {
      mode: "no-cors",
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
    });
    return true;
  } catch {
    return false;
  }
}
