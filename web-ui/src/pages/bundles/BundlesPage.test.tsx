// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BundlesPage } from "./BundlesPage";

vi.mock("../../session", () => ({ useAllowed: () => true }));
vi.mock("../../live/context", () => ({ useModel: () => ({ applications: [], relations: [] }) }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const APPLY = {
  id: 1,
  name: "",
  user: "ann",
  state: "completed",
  changes: [{ kind: "deploy", words: "deploy site with 1 unit", application: "site", units: 1 }],
  taken: 1,
  message: "",
  "started-at": 1,
};
const PLAN = { changes: APPLY.changes, difference: {}, ignored: ["series"], trusted: ["site"], missing: [] };

/** Shows the page before a controller that answers so to bundles; returns what it is sent. */
function shown(answer: (sent: Record<string, unknown>) => { status: number; body: unknown }): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = [];
  vi.stubGlobal("fetch", (address: string, { method, body }: RequestInit = {}) => {
    if (method !== "POST") {
      const text = String(address).includes("drift") ? JSON.stringify({ difference: {} }) : "{}";
      return Promise.resolve(new Response(text));
    }
    const asked = JSON.parse(String(body)) as Record<string, unknown>;
    sent.push(asked);
    const { status, body: told } = answer(asked);
    return Promise.resolve(new Response(JSON.stringify(told), { status }));
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={["/models/m/bundles"]}>
        <Routes>
          <Route path="/models/:model/bundles" element={<BundlesPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return sent;
}

const button = (name: string): HTMLButtonElement => screen.getByRole("button", { name });
const write = (value: string): boolean =>
  fireEvent.change(screen.getByLabelText("Bundle YAML"), { target: { value } });

describe("a bundle", () => {
  it("is planned, trusted only when asked, and applied", async () => {
    const sent = shown(({ "dry-run": dry }) =>
      dry ? { status: 200, body: PLAN } : { status: 202, body: { ...PLAN, apply: APPLY } },
    );
    expect(button("Apply").disabled).toBe(true);
    write("applications: {site: {charm: local:site-0, trust: true}}");
    fireEvent.click(button("Dry run"));
    await screen.findByText("1 change, none made yet.");
    expect(sent[0]?.["dry-run"]).toBe(true);
    expect(button("Apply").disabled).toBe(true);
    fireEvent.click(screen.getByLabelText(/^Trust site/));
    fireEvent.click(button("Apply"));
    await screen.findByText("Applied: 1 of 1 change");
    expect(sent[1]?.["trust"]).toBe(true);
    expect(sent[1]?.["dry-run"]).toBeUndefined();
  });

  it("is not applied while a file is missing that it names", async () => {
    const missing = [{ application: "site", resource: "theme", file: "./theme.css" }];
    shown(() => ({ status: 200, body: { ...PLAN, trusted: [], missing } }));
    write("applications: {site: {charm: local:site-0, resources: {theme: ./theme.css}}}");
    fireEvent.click(button("Dry run"));
    const told = await screen.findByRole("alert");
    expect(told.textContent).toContain("./theme.css (theme of site)");
    expect(button("Apply").disabled).toBe(true);
  });

  it("that is refused is shown with its line", async () => {
    const detail = "line 2: application \"site\" names no charm";
    shown(() => ({ status: 400, body: { status: 400, code: "bundle-charm-missing", title: "No", detail, advice: "" } }));
    write("applications:\n  site: {}\n");
    fireEvent.click(button("Dry run"));
    const excerpt = await screen.findByRole("list", { name: "Line 2 of the bundle" });
    expect(excerpt.querySelector('[aria-current="true"]')?.textContent).toBe("  site: {}");
    expect(button("Apply").disabled).toBe(true);
    // A corrected text is another bundle.
    write("applications:\n  site: {charm: local:site-0}\n");
    expect(screen.queryByRole("list", { name: "Line 2 of the bundle" })).toBeNull();
  });
});
