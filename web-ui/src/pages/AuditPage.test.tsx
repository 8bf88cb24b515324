// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AuditFilter } from "../api";
import type { AuditRecord } from "../api/types";
import { AuditPage } from "./AuditPage";

const { page, list } = vi.hoisted(() => ({
  page: vi.fn((_model: string | null, _filter: AuditFilter) => Promise.resolve({ items: [] as AuditRecord[], next: null })),
  list: vi.fn(() => Promise.resolve([{ uuid: "1b2c3d4e-0000", name: "shop" }])),
}));
vi.mock("../api", () => ({ audit: { page }, models: { list } }));

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

  it("of all models names the model, and tells what was refused as refused", async () => {
    const record: AuditRecord = {
      id: 7,
      time: "2026-11-22T21:55:00Z",
      who: "user-admin",
      from: "127.0.0.1",
      model: "1b2c3d4e-0000",
      what: "DELETE /v1/models/{model}/machines/{machine}",
      target: "/v1/models/shop/machines/10",
      result: "409",
      arguments: {},
      kind: "change",
      verb: "tried to remove",
      object: "machine 10",
      about: [],
    };
    page.mockResolvedValueOnce({ items: [record], next: null });
    render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter initialEntries={["/audit"]}>
          <Routes>
            <Route path="/audit" element={<AuditPage />} />
          </Routes>
        </MemoryRouter>
      </QueryClientProvider>,
    );
    expect((await screen.findByRole("link", { name: "shop" })).getAttribute("href")).toBe("/models/shop");
    expect(screen.getByText("tried to remove machine 10")).toBeDefined();
    expect(screen.getByText("refused (409)")).toBeDefined();
  });
});
