// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it } from "vitest";
import type { HookRun } from "../api/types";
import { RunTable } from "./RunTable";

afterEach(cleanup);

const run = (id: number, result: string, message: string): HookRun =>
  ({ id, unit: "site/0", hook: "start", result, message, duration: 2_500, "started-at": "2026-11-22T21:50:00Z" }) as unknown as HookRun;

const show = (showUnit: boolean): HTMLElement[] => {
  render(
    <MemoryRouter>
      <RunTable model="shop" runs={[run(8, "failed", "told to fail"), run(7, "ok", "")]} showUnit={showUnit} />
    </MemoryRouter>,
  );
  return screen.getAllByRole("row").slice(1);
};

describe("the list of hook runs", () => {
  it("keeps their order and says how each ended, and why, with the way to its page", () => {
    const [failed, ok] = show(false).map((row) => within(row));
    expect(failed?.getByRole("link", { name: "start" }).getAttribute("href")).toBe("/models/shop/hooks/8");
    expect(failed?.getByText("failed").className).toContain("is-refused");
    expect(failed?.getByText("told to fail")).toBeTruthy();
    expect(ok?.getByText("ok").className).toContain("is-ok");
    expect(ok?.getByText("2.50 ms")).toBeTruthy();
  });

  it("names the units of several", () => {
    expect(show(true).map((row) => within(row).getByRole("link", { name: "site/0" }).getAttribute("href"))).toEqual([
      "/models/shop/units/site/0",
      "/models/shop/units/site/0",
    ]);
  });
});
