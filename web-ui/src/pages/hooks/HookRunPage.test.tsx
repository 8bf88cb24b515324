// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HookRunPage } from "./HookRunPage";

const { report } = vi.hoisted(() => ({ report: vi.fn() }));
vi.mock("../../api", () => ({ hooks: { report } }));
vi.mock("../../session", () => ({ useVisitor: () => ({ whoami: null }) }));

afterEach(cleanup);

const RUN = {
  id: 7, unit: "site/0", application: "site", hook: "start", charm: "local:site-0",
  "started-at": "2026-11-21T10:38:00Z", duration: 1_000, result: "ok", code: "", message: "", effects: [],
};

const changes = async (lastGood: number | null): Promise<Element | null> => {
  report.mockResolvedValue({
    run: RUN, "last-good": lastGood, "changed-since": [], effects: [], lines: [], "more-lines": false, why: [],
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={["/models/m/hooks/7"]}>
        <Routes>
          <Route path="/models/:model/hooks/:run" element={<HookRunPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1, name: "start of site/0" });
  return screen.queryByRole("region", { name: "Changed since the last good run" });
};

describe("the page of a run", () => {
  it("tells what changed since the last good one, where there was one", async () => {
    expect((await changes(3))?.textContent).toMatch(/Neither the settings nor the charm of site changed/);
    cleanup();
    expect(await changes(null)).toBeNull();
  });
});
