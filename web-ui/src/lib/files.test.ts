import { describe, expect, it } from "vitest";
import { crumbs, dump, fileSearch, isCut, nameOf, parent, textOf, within } from "./files";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("paths of a unit's files", () => {
  it("have a crumb for each directory", () => {
    expect(crumbs("/state")).toEqual([{ name: "/state", path: "/state" }]);
    expect(crumbs("/state/site/a b")).toEqual([
      { name: "/state", path: "/state" },
      { name: "site", path: "/state/site" },
      { name: "a b", path: "/state/site/a b" },
    ]);
  });

  it("lead up and down", () => {
    expect(within("/state", "site")).toBe("/state/site");
    expect(parent("/state/site/index.html")).toBe("/state/site");
    expect(parent("/state")).toBe("/state");
    expect(nameOf("/state/site/index.html")).toBe("index.html");
  });

  it("stand whole in the page's address", () => {
    const search = fileSearch("file", "/state/a&b/50%");
    expect(new URLSearchParams(search).get("file")).toBe("/state/a&b/50%");
    expect(new URLSearchParams(search).get("view")).toBe("files");
  });
});

describe("the bytes of a file", () => {
  it("are a text where they can be one", () => {
    expect(textOf(bytes("<b>grün</b>\n\tx"), true)).toBe("<b>grün</b>\n\tx");
    expect(textOf(new Uint8Array(), true)).toBe("");
    expect(textOf(bytes("a\0b"), true)).toBeNull();
    expect(textOf(new Uint8Array([0xff, 0xfe]), true)).toBeNull();
  });

  it("may be cut within a character where there are more of them", () => {
    const cut = bytes("grü").subarray(0, 3);
    expect(textOf(cut, false)).toBe("gr");
    expect(textOf(cut, true)).toBeNull();
  });

  it("are shown in base 16 otherwise, the first of them", () => {
    expect(dump(bytes("\0PNG<\xff"))).toBe("000000  00 50 4e 47 3c c3 bf     .PNG<..");
    expect(dump(bytes("123456789")).split("\n")[1]).toBe("000008  39                       9");
    const long = new Uint8Array(513);
    expect(dump(long).split("\n")).toHaveLength(64);
    expect([isCut(long), isCut(long.subarray(1))]).toEqual([true, false]);
  });
});
