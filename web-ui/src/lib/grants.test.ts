import { describe, expect, it } from "vitest";
import type { CharmInfo, Grant } from "../api/types";
import { asked, choicesOf, choiceWords, declaredOf, forbidden, standingWords } from "./grants";

const grant = (capability: string, standing: Grant["standing"], by?: string): Grant => ({
  capability,
  allows: "may do it",
  used: true,
  standing,
  ...(by && { by }),
});

const ALL = [
  grant("tools/secret", "default"),
  grant("tools/reboot", "undecided"),
  grant("tools/credential", "undecided"),
  grant("port/80/tcp", "beyond-policy"),
];

const texts = (all: readonly Grant[]): string[] => all.map(({ capability }) => capability);

describe("what a charm declares", () => {
  it("is told with what it allows apart from the reason", () => {
    const charm = {
      declared: [{ capability: "port/80/tcp", why: "serves; reason: asked" }, { capability: "tools/reboot" }],
      capabilities: ["may open 80/tcp; reason: serves; reason: asked", "may restart the unit; no reason given"],
    } as unknown as CharmInfo;
    expect(declaredOf(charm)).toEqual([
      { capability: "port/80/tcp", allows: "may open 80/tcp", why: "serves; reason: asked" },
      { capability: "tools/reboot", allows: "may restart the unit", why: null },
    ]);
    expect(declaredOf({ capabilities: [] } as unknown as CharmInfo)).toEqual([]);
  });
});

describe("what is decided about a charm's capabilities", () => {
  it("is what nobody decided about and the charm of before did not have", () => {
    const before = { declared: [{ capability: "tools/reboot" }, { capability: "port/80/tcp" }] } as unknown as CharmInfo;
    expect(texts(asked(ALL))).toEqual(["tools/reboot", "tools/credential"]);
    expect(texts(asked(ALL, before))).toEqual(["tools/credential"]);
    expect(texts(forbidden(ALL, before))).toEqual([]);
  });

  it("is said in a request and on the command line, without what the policy does not allow", () => {
    const choices = choicesOf(ALL, { "tools/reboot": "grant", "tools/credential": "deny", "tools/secret": "deny" });
    expect(choices).toEqual({ grant: ["tools/reboot"], deny: ["tools/credential", "port/80/tcp"] });
    expect(choiceWords(choices).join(" ")).toBe("--grant tools/reboot --deny tools/credential --deny port/80/tcp");
    expect(choicesOf(ALL.slice(0, 1), {})).toBeNull();
  });

  it("is told with who decided it", () => {
    expect(standingWords(grant("tools/secret", "granted", "ann"))).toBe("granted by ann");
    expect(standingWords(grant("tools/secret", "default"))).toBe("granted by default");
    expect(standingWords(grant("tools/secret", "not-declared", "ann"))).toBe("not declared any more");
  });
});
