// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuditFilter } from "../api";
import { AuditPage } from "./AuditPage";

const { page } = vi.hoisted(() => ({
  page: vi.fn((_model: string | null, _filter: AuditFilter) => Promise.resolve({ items: [], next: null })),
}));
vi.mock("../api", () => ({ audit: { page } }));

afterEach(() => {
  cleanup();
  page.mockClear();
});

describe("the audit log", () => {
  it("is asked for within the times of the address, and for all times again", async () => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter initialEntries={["/models/shop/audit?from=2026-11-22T21:50:00Z&to=2026-11-22T22:00:00Z"]}>
          <Routes>
            <Route path="/models/:model/audit" element={<AuditPage />} />
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>,
    );
    const asked = page.mock.calls[0];
    expect(asked?.[0]).toBe("shop");
    expect(asked?.[1]).toMatchObject({ since: "2026-11-22T21:50:00Z", until: "2026-11-22T22:00:00Z", kind: "change" });
    fireEvent.click(screen.getByRole("button", { name: "All times" }));
    await waitFor(() => expect(page).toHaveBeenCalledTimes(2));
    expect(page.mock.calls[1]?.[1]).toMatchObject({ since: undefined, until: undefined });
  });
});
