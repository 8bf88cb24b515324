// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it } from "vitest";
import type { WhyStep } from "../api/types";
import { Causes } from "./Causes";

afterEach(cleanup);

const show = (steps: WhyStep[]): HTMLElement[] => {
  render(
    <MemoryRouter>
      <Causes model="shop" steps={steps} />
    </MemoryRouter>,
  );
  return screen.queryAllByRole("listitem");
};

describe("the chain of causes", () => {
  it("tells each step after the one that it brought about, with the ways that lead on", () => {
    const [ran, changed, began] = show([
      { text: "site/0 ran website-relation-changed (relation 3, front/1)", run: 812, unit: "site/0" },
      { text: "front/1 changed its settings in relation 3, in its hook config-changed", run: 810, unit: "front/1" },
      { text: "admin changed title of front", audit: 807, time: "2026-11-28T01:00:00Z" },
    ]);
    expect(ran?.textContent).not.toContain("because");
    expect(changed?.textContent).toContain("because front/1 changed its settings in relation 3");
    const links = within(changed as HTMLElement);
    expect(links.getByRole("link", { name: "Run 810" }).getAttribute("href")).toBe("/models/shop/hooks/810");
    expect(links.getByRole("link", { name: "front/1" }).getAttribute("href")).toBe("/models/shop/units/front/1");
    expect(began?.textContent).toContain("because admin changed title of front");
    expect(began?.textContent).toContain("Audit record 807");
  });

  it("says an end without a record as it is, and a unit without hooks plainly", () => {
    const [, end] = show([
      { text: "site/0 ran start", run: 9 },
      { text: "what caused it was not recorded" },
    ]);
    expect(within(end as HTMLElement).queryByRole("link")).toBeNull();
    cleanup();
    expect(show([])).toHaveLength(0);
    expect(screen.getByText("No hook has run yet.")).toBeTruthy();
  });
});
