import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../api/types";
import { heading, kindOf, told } from "./incidents";

const entry = (of: Partial<TimelineEntry>): TimelineEntry => ({
  id: "1",
  time: "2026-11-27T12:00:00Z",
  kind: "audit",
  who: "",
  verb: "changed",
  object: "title of front",
  result: "ok",
  message: "",
  about: [],
  ...of,
});

describe("an incident", () => {
  it("is headed by what it is about and what failed", () => {
    expect(heading({ application: "front", hook: "start", status: "error" })).toBe("front: start failed");
    expect(heading({ application: "front", status: "blocked" })).toBe("front is blocked");
    expect(heading({ machine: "3", status: "down" })).toBe("machine 3 is down");
  });
});

describe("an entry of a timeline", () => {
  it("is of a kind, and what only was read is no change", () => {
    expect(kindOf(entry({ kind: "audit", verb: "integrated" }))).toBe("Change");
    expect(kindOf(entry({ kind: "audit", verb: "revealed" }))).toBe("Read");
    expect(kindOf(entry({ kind: "audit", verb: "tried to read" }))).toBe("Read");
    expect(kindOf(entry({ kind: "audit", verb: "tried to remove" }))).toBe("Change");
    expect(kindOf(entry({ kind: "hook", verb: "ran" }))).toBe("Hook");
  });

  it("is a sentence", () => {
    expect(told(entry({ who: "admin", verb: "integrated", object: "front with site" }))).toBe(
      "admin integrated front with site",
    );
    expect(told(entry({ who: "admin", verb: "tried to remove", object: "machine 10", result: "refused" }))).toBe(
      "admin tried to remove machine 10",
    );
    expect(told(entry({ was: "a", becomes: "b" }))).toBe('changed title of front from "a" to "b"');
    expect(told(entry({ becomes: "b" }))).toBe('changed title of front to "b"');
    expect(told(entry({ was: "a" }))).toBe('changed title of front from "a" to its default');
    expect(told(entry({ kind: "status", verb: "became", object: "front/0", becomes: "active" }))).toBe(
      "front/0 became active",
    );
  });
});
