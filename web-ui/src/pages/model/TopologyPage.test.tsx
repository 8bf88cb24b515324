// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ApplicationInfo, RelationInfo } from "../../api/types";
import TopologyPage from "./TopologyPage";

const application = (name: string, status = "active"): ApplicationInfo =>
  ({ name, charm: "local:site-0", status: { status, message: "" }, units: [] }) as unknown as ApplicationInfo;

const relation = (id: number, from: string, to: string): RelationInfo =>
  ({
    id,
    interface: "http",
    scope: "global",
    status: { status: "joined" },
    endpoints: [
      { application: from, name: "web", role: "requirer" },
      { application: to, name: "web", role: "provider" },
    ],
  }) as unknown as RelationInfo;

vi.mock("../../api", () => ({ reach: { show: () => Promise.reject(new Error("not asked here")) } }));
vi.mock("../../live/context", () => ({
  useModel: () => MODEL,
}));
const MODEL = {
  applications: [application("site"), application("front", "blocked"), application("db"), application("alone")],
  relations: [relation(1, "front", "site"), relation(2, "site", "db")],
  units: [],
  charms: [],
};

beforeAll(() => {
  // What the graph library asks of a browser and jsdom has not.
  vi.stubGlobal("ResizeObserver", class {
    observe() {}
    unobserve() {}
    disconnect() {}
  });
});
afterEach(cleanup);

let address = "";
function Address() {
  address = useLocation().search;
  return null;
}

function show(search: string): void {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter initialEntries={[`/models/shop/topology${search}`]}>
        <Address />
        <Routes>
          <Route path="/models/:model/topology" element={<TopologyPage />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const boxes = (): string[] =>
  [...document.querySelectorAll(".graph-box")].map(
    (box) => `${box.querySelector(".graph-box-name")?.textContent}${box.classList.contains("is-neighbour") ? " fainter" : ""}`,
  );

describe("the topology's filter", () => {
  it("draws everything without one", () => {
    show("");
    expect(boxes().sort()).toEqual(["alone", "db", "front", "site"]);
    expect(screen.queryByRole("button", { name: "Clear" })).toBeNull();
  });

  it("is read from the address, draws what fits with its neighbours, and says how many", () => {
    show("?q=fro");
    expect(boxes().sort()).toEqual(["front", "site fainter"]);
    expect(screen.getByText("1 of 4 match; 1 related application is shown fainter")).toBeTruthy();
  });

  it("goes into the address, by words and by status", async () => {
    show("");
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "db" } });
    expect(boxes().sort()).toEqual(["db", "site fainter"]);
    await waitFor(() => expect(address).toBe("?q=db"));
    fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    fireEvent.click(screen.getByRole("button", { name: "1 blocked" }));
    expect(address).toBe("?status=blocked");
    expect(boxes().sort()).toEqual(["front", "site fainter"]);
  });

  it("is reached by / and left by the arrow for the first box that fits", () => {
    show("?q=front");
    fireEvent.keyDown(document.body, { key: "/" });
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
    fireEvent.keyDown(screen.getByRole("searchbox"), { key: "ArrowDown" });
    expect(document.activeElement?.querySelector(".graph-box-name")?.textContent).toBe("front");
  });

  it("says in words that nothing fits, and is cleared from there", () => {
    show("?q=nothing");
    expect(screen.getByRole("heading", { name: "Nothing matches this filter" })).toBeTruthy();
    expect(boxes()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Clear the filter" }));
    expect(address).toBe("");
    expect(boxes()).toHaveLength(4);
  });
});
