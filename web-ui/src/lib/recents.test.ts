import { describe, expect, it } from "vitest";
import { parseRecents, recentsKey, thingOf, withoutGone, withRecent } from "./recents";

describe("recently visited", () => {
  it.each([
    ["/models/shop", "/models/shop"],
    ["/models/shop/logs", "/models/shop"],
    ["/models/shop/applications/site", "/models/shop/applications/site"],
    ["/models/shop/applications/site/relations", "/models/shop/applications/site"],
    ["/models/shop/units/site/0", "/models/shop/units/site/0"],
    ["/models/shop/machines/3", "/models/shop/machines/3"],
    ["/models/shop/relations/7", "/models/shop/relations/7"],
    ["/models/shop/charms/local%3Asite-0", "/models/shop/charms/local%3Asite-0"],
    ["/models/shop/relations", "/models/shop"],
    ["/users/eve", "/users/eve"],
    ["/models/shop/hooks/42", null],
    ["/models", null],
    ["/account", null],
    ["/", null],
  ])("%s is about %s", (pathname, thing) => {
    expect(thingOf(pathname)).toBe(thing);
  });

  it("stands first, once, and not without end", () => {
    expect(withRecent(["/models/a", "/models/b"], "/models/b")).toEqual(["/models/b", "/models/a"]);
    let recents: string[] = [];
    for (let number = 0; number < 40; number += 1) recents = withRecent(recents, `/models/m${number}`);
    expect(recents).toHaveLength(12);
    expect(recents[0]).toBe("/models/m39");
  });

  it("is read from what somebody may have changed", () => {
    expect(parseRecents(null)).toEqual([]);
    expect(parseRecents("{")).toEqual([]);
    expect(parseRecents('{"a":1}')).toEqual([]);
    expect(parseRecents('["/models/a",7,"https://evil.example","/models/a/logs","javascript:0"]')).toEqual(["/models/a"]);
  });

  it("is kept for each controller and visitor apart", () => {
    expect(new Set([recentsKey("lab", "eve"), recentsKey("lab", "bob"), recentsKey("home", "eve")]).size).toBe(3);
  });

  it("is forgotten once it is gone, and only then", () => {
    const there = new Set(["/models/shop", "/models/shop/units/site/0", "/models/other"]);
    const recents = ["/models/shop/units/site/0", "/models/shop/units/site/9", "/models/other/machines/0", "/models/gone/machines/0", "/users/eve"];
    expect(withoutGone(recents, there, new Set(["models", "/models/shop/units"]))).toEqual([
      "/models/shop/units/site/0",
      "/models/other/machines/0",
      "/users/eve",
    ]);
    expect(withoutGone(recents, there, new Set())).toEqual(recents);
    expect(withoutGone(recents, there, new Set(["users"]))).not.toContain("/users/eve");
  });
});
