// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../../../api/types";
import type { ModelEntities } from "../../../live/context";
import { Fleet } from "./Fleet";

// Whole tables in jsdom: slow where other work goes on beside.
vi.setConfig({ testTimeout: 30_000 });

beforeAll(() => {
  // What jsdom has not.
  Element.prototype.scrollIntoView = () => {};
  vi.stubGlobal("scrollTo", () => {});
});

afterEach(cleanup);

const SINCE = "2026-11-22T21:50:00Z";

function unit(name: string, status = "active", minute = 1): UnitInfo {
  const since = `2026-11-22T21:0${minute}:00Z`;
  return {
    name,
    application: name.split("/")[0] ?? "",
    charm: "local:site-0",
    life: "alive",
    machine: name.split("/")[1] ?? "0",
    leader: false,
    workload: { status, message: status === "error" ? 'hook failed: "start"' : "", since, data: {} },
    agent: { status: "idle", message: "", since },
    "opened-ports": [],
    listening: [],
    "workload-version": "",
  } as unknown as UnitInfo;
}

function application(name: string, status: string, units: UnitInfo[]): ApplicationInfo {
  return {
    name,
    charm: "local:site-0",
    "charm-name": "site",
    "charm-revision": 0,
    life: "alive",
    exposed: false,
    "exposed-endpoints": {},
    status: { status, message: "", since: SINCE },
    "workload-version": "",
    units: units.filter((unit) => unit.application === name).map(({ name }) => name),
  } as unknown as ApplicationInfo;
}

function machine(id: string, units: string[]): MachineInfo {
  return {
    id,
    life: "alive",
    "instance-id": `i-${id}`,
    agent: { status: "started", message: "", since: SINCE },
    instance: { status: "running", message: "", since: SINCE },
    addresses: ["10.0.0.1"],
    hardware: "",
    units,
    "created-at": SINCE,
    "waiting-for": [],
  };
}

const UNITS = [unit("web/0", "active", 3), unit("web/1", "error", 1), unit("web/10", "error", 2), unit("blog/0", "waiting", 4)];

function model(units: UnitInfo[]): ModelEntities {
  const names = [...new Set(units.map(({ application }) => application))];
  return {
    model: undefined,
    applications: names.map((name) => application(name, name === "web" ? "error" : "waiting", units)),
    units,
    machines: [machine("0", ["web/0", "blog/0"]), machine("1", ["web/1"]), machine("2", [])],
    relations: [],
    charms: [],
  };
}

let address = "";

function Where() {
  const { search } = useLocation();
  address = search;
  return null;
}

function show(at: string, units = UNITS) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[`/models/m${at}`]}>
        <Fleet model="m" entities={model(units)} />
        <Where />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const names = (): string[] => [...document.querySelectorAll<HTMLElement>("tr[data-row]")].map((row) => row.dataset["row"] ?? "");
const row = (id: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`tr[data-row="${id}"]`);
  if (!found) throw new Error(`no row ${id}`);
  return found;
};
const filter = (): HTMLElement => screen.getByLabelText("Filter by name, status or message");

/** Answers every request, refuses those about `refused`; tells what was asked beside reading. */
function answering(refused = "nothing"): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string, { method = "GET", body }: RequestInit) => {
    if (method === "GET") return Promise.resolve(new Response("[]"));
    asked.push(`${method} ${path} ${body ?? ""}`.trim());
    const problem = { status: 409, code: "unit-not-failed", title: "Refused", detail: "the unit has no failed hook", advice: "look again" };
    return Promise.resolve(
      path.includes(refused) ? new Response(JSON.stringify(problem), { status: 409 }) : new Response('{"units":[],"machines":[]}'),
    );
  });
  return asked;
}

describe("the tables of a model", () => {
  it("stand behind tabs with their counts", () => {
    show("");
    expect(names()).toEqual(["blog", "web"]);
    fireEvent.click(screen.getByRole("tab", { name: "Units 4" }));
    expect(names()).toEqual(["blog/0", "web/0", "web/1", "web/10"]);
    expect(address).toBe("?tab=units");
    fireEvent.click(screen.getByRole("tab", { name: "Machines 3" }));
    expect(names()).toEqual(["0", "1", "2"]);
  });

  it("are sorted by their heads, and the address says so", () => {
    show("?tab=units");
    const head = screen.getByRole("columnheader", { name: /^Since/ });
    fireEvent.click(within(head).getByRole("button"));
    expect(names()).toEqual(["web/1", "web/10", "web/0", "blog/0"]);
    expect(head.getAttribute("aria-sort")).toBe("ascending");
    fireEvent.click(within(head).getByRole("button"));
    expect(names()).toEqual(["blog/0", "web/0", "web/10", "web/1"]);
    expect(address).toContain("sort=-since");
  });

  it("show what a saved address says", () => {
    show("?tab=units&status=error&sort=-since&q=web");
    expect(names()).toEqual(["web/10", "web/1"]);
    expect(screen.getByRole("tab", { name: "Units 2 of 4" }).getAttribute("aria-selected")).toBe("true");
    const chips = within(screen.getByRole("list", { name: "Statuses" }));
    expect(chips.getByRole("button", { name: "2 error" }).getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(chips.getByRole("button", { name: "1 active" }));
    expect(names()).toEqual(["web/0", "web/10", "web/1"]);
    expect(new URLSearchParams(address).get("status")).toBe("error,active");
  });

  it("are filtered at once, and the address follows", async () => {
    show("?tab=units");
    fireEvent.change(filter(), { target: { value: "blog" } });
    expect(names()).toEqual(["blog/0"]);
    expect(address).toBe("?tab=units");
    await waitFor(() => expect(address).toBe("?tab=units&q=blog"));
    fireEvent.change(filter(), { target: { value: "nothing like this" } });
    fireEvent.blur(filter());
    expect(address).toContain("q=nothing");
    expect(document.querySelector("table")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Clear the filter" }));
    expect(names()).toHaveLength(4);
  });

  it("keep a view under a name, as a link", () => {
    localStorage.clear();
    show("?tab=units&status=error");
    fireEvent.change(screen.getByLabelText("Save this view as"), { target: { value: "red" } });
    fireEvent.click(screen.getByRole("button", { name: "Save view" }));
    const link = screen.getByRole("link", { name: "red" });
    expect(link.getAttribute("href")).toBe("/models/m?tab=units&status=error");
    fireEvent.click(screen.getByRole("tab", { name: /^Machines/ }));
    fireEvent.click(link);
    expect(names()).toEqual(["web/1", "web/10"]);
    fireEvent.click(screen.getByRole("button", { name: "Forget view red" }));
    expect(screen.queryByRole("link", { name: "red" })).toBeNull();
  });
});

describe("the keyboard", () => {
  it("comes to the filter, walks the rows, chooses and opens", async () => {
    answering();
    show("?tab=units");
    fireEvent.keyDown(document.body, { key: "/" });
    expect(document.activeElement).toBe(filter());
    fireEvent.keyDown(filter(), { key: "ArrowDown" });
    expect(document.activeElement).toBe(row("blog/0"));
    fireEvent.keyDown(row("blog/0"), { key: "ArrowDown" });
    expect(document.activeElement).toBe(row("web/0"));
    fireEvent.keyDown(row("web/0"), { key: " " });
    fireEvent.keyDown(row("web/0"), { key: "End" });
    expect(document.activeElement).toBe(row("web/10"));
    fireEvent.keyDown(row("web/10"), { key: " ", shiftKey: true });
    expect(screen.getByRole("toolbar").textContent).toContain("3 units selected");
    fireEvent.keyDown(row("web/10"), { key: "Home" });

    fireEvent.keyDown(row("blog/0"), { key: "Enter" });
    const panel = await screen.findByRole("complementary", { name: "Details of blog/0" });
    expect(panel.contains(document.activeElement)).toBe(true);
    expect(address).toContain("open=blog%2F0");
    fireEvent.keyDown(document.activeElement as Element, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("complementary")).toBeNull());
    expect(document.activeElement).toBe(row("blog/0"));

    // The details follow the rows while they are shown.
    fireEvent.keyDown(row("blog/0"), { key: "Enter" });
    row("blog/0").focus();
    fireEvent.keyDown(row("blog/0"), { key: "ArrowDown" });
    await screen.findByRole("complementary", { name: "Details of web/0" });
    expect(document.activeElement).toBe(row("web/0"));
  });

  it("has one row that Tab comes to", () => {
    show("?tab=units");
    expect([...document.querySelectorAll('tr[data-row][tabindex="0"]')]).toEqual([row("blog/0")]);
    act(() => row("web/1").focus());
    expect([...document.querySelectorAll('tr[data-row][tabindex="0"]')]).toEqual([row("web/1")]);
  });
});

describe("what is done with many", () => {
  const choose = (...ids: string[]): void => {
    for (const id of ids) fireEvent.click(within(row(id)).getByRole("checkbox"));
  };
  const submit = (): void => {
    fireEvent.submit(document.querySelector("dialog form") as HTMLFormElement);
  };

  it("is a retry of those that failed, with a result for each and another try", async () => {
    const asked = answering("web/10/resolved");
    show("?tab=units");
    choose("web/0", "web/1", "web/10");
    fireEvent.click(screen.getByRole("button", { name: "Retry hooks…" }));
    expect(document.querySelector("dialog")?.textContent).toContain("1 other unit without a failed hook");
    submit();
    await screen.findByText("1 of 2 done, 1 refused");
    expect(asked.toSorted()).toEqual([
      'POST /v1/models/m/units/web/1/resolved {"retry":true}',
      'POST /v1/models/m/units/web/10/resolved {"retry":true}',
    ]);
    expect(document.querySelector('[data-result="web/10"]')?.textContent).toContain("The unit has no failed hook.");
    answering();
    submit();
    await screen.findByText("2 of 2 done");
    expect(screen.queryByRole("button", { name: "Cancel", hidden: true })).toBeNull();
  });

  it("is a removal that says what goes and wants it typed", async () => {
    const asked = answering();
    show("?tab=units");
    choose("web/0", "blog/0");
    fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    const dialog = document.querySelector("dialog") as HTMLElement;
    expect(dialog.textContent).toContain("machine 0 that only they use");
    submit();
    expect(asked).toEqual([]);
    fireEvent.change(screen.getByLabelText("Type remove 2 to confirm"), { target: { value: "remove 2" } });
    submit();
    await screen.findByText("2 of 2 done");
    expect(asked.toSorted()).toEqual(["DELETE /v1/models/m/units/blog/0", "DELETE /v1/models/m/units/web/0"]);
  });

  it("is a scale of several applications", async () => {
    const asked = answering();
    show("");
    choose("web", "blog");
    fireEvent.click(screen.getByRole("button", { name: "Scale…" }));
    const field = screen.getByLabelText("Units of each");
    fireEvent.change(field, { target: { value: "1001" } });
    screen.getByText("A number from 0 to 1000");
    fireEvent.change(field, { target: { value: "3" } });
    expect(document.querySelector("dialog")?.textContent).toContain("web stays at 3");
    expect(document.querySelector("dialog")?.textContent).toContain("blog from 1 to 3");
    submit();
    await screen.findByText("1 of 1 done");
    expect(asked).toEqual(['PUT /v1/models/m/applications/blog/scale {"units":3}']);
  });

  it("adds machines, and says that one with units is refused without force", async () => {
    const asked = answering();
    show("?tab=machines");
    fireEvent.click(screen.getByRole("button", { name: "Add machines" }));
    fireEvent.change(screen.getByLabelText("Machines", { selector: "input" }), { target: { value: "2" } });
    fireEvent.change(screen.getByLabelText("Constraints"), { target: { value: "mem=4G" } });
    submit();
    await waitFor(() => expect(document.querySelector("dialog")).toBeNull());
    choose("0");
    fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    expect(document.querySelector("dialog")?.textContent).toContain("a machine with units is refused");
    fireEvent.click(screen.getByLabelText(/^Force:/));
    expect(document.querySelector("dialog")?.textContent).toContain("units blog/0, web/0");
    fireEvent.change(screen.getByLabelText("Type 0 to confirm"), { target: { value: "0" } });
    submit();
    await screen.findByText("1 of 1 done");
    expect(asked).toEqual([
      'POST /v1/models/m/machines {"count":2,"constraints":"mem=4G"}',
      "DELETE /v1/models/m/machines/0?force=true",
    ]);
  });

  it("tells machines that go from those that are refused, which may be forced once they were", async () => {
    answering("machines/0");
    show("?tab=machines");
    choose("0", "2");
    fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    const dialog = document.querySelector("dialog") as HTMLElement;
    expect(dialog.textContent).toMatch(/This removes:machine 2no units.*Refused unless forced:machine 0/);
    fireEvent.change(screen.getByLabelText("Type remove 2 to confirm"), { target: { value: "remove 2" } });
    submit();
    await screen.findByText("1 of 2 done, 1 refused");
    fireEvent.click(screen.getByLabelText(/^Force:/));
    const forced = answering();
    submit();
    await screen.findByText("2 of 2 done");
    expect(forced).toEqual(["DELETE /v1/models/m/machines/0?force=true"]);
  });

  it("never is of a row that is not shown", () => {
    show("?tab=units");
    fireEvent.click(screen.getByLabelText("Select all 4 units"));
    expect(screen.getByRole("toolbar").textContent).toContain("4 units selected");
    fireEvent.change(filter(), { target: { value: "blog" } });
    expect(screen.getByRole("toolbar").textContent).toContain("1 unit selected");
  });
});

describe("thousands of units", () => {
  it("draw no more than the window holds", () => {
    const many = Array.from({ length: 2000 }, (_, place) => unit(`app${place % 50}/${Math.floor(place / 50)}`));
    show("?tab=units", many);
    const rows = document.querySelectorAll("tr[data-row]").length;
    expect(rows).toBeGreaterThan(5);
    expect(rows).toBeLessThan(120);
    expect(document.querySelector("table")?.getAttribute("aria-rowcount")).toBe("2001");
    fireEvent.change(filter(), { target: { value: "app7/1" } });
    expect(names()).toHaveLength(11);
  });
});
