import { describe, expect, it } from "vitest";
import { readmeBlocks } from "./readme";

const read = (...lines: string[]) => readmeBlocks(lines.join("\n"));
const text = (words: string) => ({ kind: "text", text: words });
const code = (words: string) => ({ kind: "code", text: words });
const heading = (level: number, words: string) => ({ kind: "heading", level, text: words });

describe("a README", () => {
  it("has headings below those of the page, whichever way they are written", () => {
    expect(read("# counter", "", "## Use ##", "##### Deep", "Old", "===")).toEqual([
      heading(3, "counter"),
      heading(4, "Use"),
      heading(5, "Deep"),
      heading(3, "Old"),
    ]);
    // One that begins deeper begins where all begin.
    expect(read("### Use", "#hashtag")).toEqual([heading(3, "Use"), text("#hashtag")]);
  });

  it("has paragraphs whose lines are put together", () => {
    expect(read("Counts the hooks", "of its unit.", "", "And shows", "the count.", "")).toEqual([
      text("Counts the hooks of its unit."),
      text("And shows the count."),
    ]);
  });

  it("has code as it stands, fenced or indented", () => {
    expect(read("Run:", "", "    periapt deploy x", "", "      -n 2", "", "Then `wait`.")).toEqual([
      text("Run:"),
      code("periapt deploy x\n\n  -n 2"),
      text("Then `wait`."),
    ]);
    expect(read("```sh", "# no heading", "", "x", "```", "after")).toEqual([code("# no heading\n\nx"), text("after")]);
    expect(read("~~~", "never closed", "```")).toEqual([code("never closed\n```")]);
  });

  it("has lists whose items stay on lines of their own", () => {
    expect(read("- one", "  goes on", "- two", "  - nested", "", "    of two", "", "after")).toEqual([
      text("- one goes on\n- two\n  - nested"),
      text("    of two"),
      text("after"),
    ]);
    expect(read("| a | b |", "|---|---|", "| 1 | 2 |")).toEqual([text("| a | b |\n|---|---|\n| 1 | 2 |")]);
  });

  it("makes nothing of links, pictures and HTML", () => {
    const strange = "<img src=x onerror=alert(1)> ![p](https://elsewhere.example/p.png) [l](javascript:alert(1))";
    expect(read(strange)).toEqual([text(strange)]);
  });

  it("has the text alone of a link to a file beside it", () => {
    expect(read("Asks [front](../front) and [`site`](site.md \"a site\").", "# [Use](#use)")).toEqual([
      text("Asks front and `site`."),
      heading(3, "Use"),
    ]);
    const kept = "`[l](m)` ![p](p.png) [l](//elsewhere.example)";
    expect(read(kept, "```", "[l](m)", "```")).toEqual([text(kept), code("[l](m)")]);
  });

  it("of nothing is nothing", () => {
    expect(read("")).toEqual([]);
    expect(read("", "  ", "")).toEqual([]);
  });
});
