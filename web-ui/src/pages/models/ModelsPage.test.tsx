// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelsPage } from "./ModelsPage";

const live = vi.hoisted(() => ({ models: [] as { model: string; entity: object }[] }));
vi.mock("../../live/context", () => ({
  useReady: () => true,
  useEverywhere: (kind: string) => (kind === "model" ? live.models : []),
}));
vi.mock("../../session", () => ({ useSuperuser: () => false, useVisitor: () => ({ whoami: undefined }) }));

const model = (name: string, owner: string, status = "available") => ({
  model: name,
  entity: {
    uuid: name,
    name,
    owner,
    cloud: "local",
    region: "default",
    life: "alive",
    status: { status, message: "" },
    applications: 0,
    units: 0,
    machines: 0,
    "created-at": "2026-11-01T00:00:00Z",
  },
});

let address = "";
function Address() {
  address = useLocation().search;
  return null;
}

function show(search = ""): void {
  render(
    <MemoryRouter initialEntries={[`/models${search}`]}>
      <Address />
      <ModelsPage />
    </MemoryRouter>,
  );
}

const titles = (): (string | null)[] => [...document.querySelectorAll(".section__title, .card__title")].map((each) => each.textContent);

beforeEach(() => {
  live.models = [model("shop", "bob"), model("blog", "ada"), model("broken", "bob", "error")];
});
afterEach(cleanup);

describe("the models", () => {
  it("stand in groups that the address names, the ones with trouble first", () => {
    show("?group=status");
    expect(titles()).toEqual(["Needs attention (1)", "broken", "available (2)", "blog", "shop"]);
    expect(document.querySelectorAll("h3.card__title")).toHaveLength(3);
  });

  it("are filtered and grouped together, and say so where a link did it to a few", () => {
    show("?q=bob&group=owner&sort=name");
    expect(titles()).toEqual(["bob (2)", "broken", "shop"]);
    expect((screen.getByRole("searchbox") as HTMLInputElement).value).toBe("bob");
  });

  it("are as few as fit without a filter, until one is chosen", () => {
    show();
    expect(screen.queryByRole("searchbox")).toBeNull();
    cleanup();
    live.models = Array.from({ length: 9 }, (_, number) => model(`m${number}`, "ada"));
    show();
    fireEvent.change(screen.getByLabelText("Groups of the models"), { target: { value: "owner" } });
    expect(address).toBe("?group=owner");
    fireEvent.change(screen.getByRole("searchbox"), { target: { value: "m7" } });
    expect(address).toContain("q=m7");
    expect(titles()).toEqual(["ada (1)", "m7"]);
  });
});
