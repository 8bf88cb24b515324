// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { UnitInfo } from "../../api/types";
import { ResolveBanner } from "./ResolveBanner";

const asked = vi.hoisted(() => ({ runs: [] as { id: number }[], page: vi.fn() }));
vi.mock("../../api", () => ({
  hooks: {
    page: (...what: unknown[]) => {
      asked.page(...what);
      return Promise.resolve({ items: asked.runs, next: null });
    },
  },
  logs: { tail: () => Promise.resolve([]) },
  units: {},
}));

afterEach(() => {
  cleanup();
  asked.page.mockReset();
});

function show(hook: string | null, runs: { id: number }[]): void {
  asked.runs = runs;
  const workload = {
    status: "error",
    message: hook ? `hook failed: "${hook}"` : "the charm could not be put in place",
    since: "2026-11-28T01:00:00Z",
    data: hook ? { hook, reason: "no disk" } : {},
  };
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <ResolveBanner model="shop" unit={{ name: "site/0", workload } as unknown as UnitInfo} mayWrite={false} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

describe("the banner of a failed hook", () => {
  it("leads to the run that failed last", async () => {
    show("start", [{ id: 42 }]);
    const link = await screen.findByText("See the failed run", {}, { timeout: 5_000 });
    expect(link.getAttribute("href")).toBe("/models/shop/hooks/42");
    expect(asked.page).toHaveBeenCalledWith("shop", { unit: "site/0", hook: "start", result: "failed", limit: 1 });
  });

  it("leads to the list alone where no run is recorded", async () => {
    show("start", []);
    await waitFor(() => expect(asked.page).toHaveBeenCalled());
    expect(screen.getByText("Earlier runs")).toBeTruthy();
    expect(screen.queryByText("See the failed run")).toBeNull();
  });

  it("asks for no run where none failed", () => {
    show(null, [{ id: 42 }]);
    expect(asked.page).not.toHaveBeenCalled();
  });
});
