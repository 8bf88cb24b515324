/**
 * What this browser was led to lately, the newest first: paths of models and of what is in them. Kept in the browser for
 * each controller and visitor apart, never sent anywhere; what is gone is forgotten.
 */

/** So many are kept. */
const MOST = 12;

export const recentsKey = (controller: string, user: string): string => `periapt-recents ${controller} ${user}`;

/** The page of the thing that an address is about; nothing for pages that are about none. */
export function thingOf(pathname: string): string | null {
  const found =
    /^\/models\/[^/]+(?:$|\/(?:units\/[^/]+\/[^/]+|(?:applications|machines|relations|charms)\/[^/]+)(?=$|\/))/.exec(pathname) ??
    /^\/users\/[^/]+/.exec(pathname) ??
    // A page of a model is about the model.
    /^\/models\/[^/]+(?=\/[^/]+$)/.exec(pathname);
  return found?.[0] ?? null;
}

/** What is stored, as far as it makes sense. */
export function parseRecents(stored: string | null): string[] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value)
      ? value.filter((each): each is string => typeof each === "string" && thingOf(each) === each).slice(0, MOST)
      : [];
  } catch {
    return [];
  }
}

export function withRecent(recents: readonly string[], path: string): string[] {
  return [path, ...recents.filter((each) => each !== path)].slice(0, MOST);
}

/** Where a path is listed: `models`, `users`, or a kind in a model, as in `/models/shop/units`. */
const listOf = (path: string): string => /^\/models\/[^/]+\/[^/]+/.exec(path)?.[0] ?? path.split("/")[1] ?? "";

/** Those that are still there. Of a list that is not known, each may be. */
export function withoutGone(
  recents: readonly string[],
  there: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string[] {
  return recents.filter((path) => {
    const model = /^\/models\/[^/]+/.exec(path)?.[0];
    if (model !== undefined && known.has("models") && !there.has(model)) return false;
    return !known.has(listOf(path)) || there.has(path);
  });
}

export function readRecents(key: string): string[] {
  try {
    return parseRecents(localStorage.getItem(key));
  } catch {
    // Without storage nothing is remembered.
    return [];
  }
}

export function writeRecents(key: string, recents: readonly string[]): void {
  try {
    if (recents.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(recents));
  } catch {
    // As above.
  }
}
