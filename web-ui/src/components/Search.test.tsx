// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Search } from "./Search";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Where() {
  const { pathname } = useLocation();
  return <output>{pathname}</output>;
}

function opened(model: string | null): HTMLElement {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response('{"items":[]}')));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <Search model={model} />
        <Where />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return screen.getByRole("combobox", { name: "Search everything" });
}

const rows = (): (string | null)[] =>
  screen.getAllByRole("option").map((option) => option.querySelector(".search__name")?.textContent ?? null);

describe("the search field", () => {
  it("opens with Ctrl+K, also while something is typed elsewhere", () => {
    const field = opened("shop");
    fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    expect(document.activeElement).toBe(field);
  });

  it("gives the focus back to what had it before the key", () => {
    const button = document.body.appendChild(document.createElement("button"));
    button.focus();
    const field = opened("shop");
    fireEvent.keyDown(button, { key: "k", ctrlKey: true });
    expect(document.activeElement).toBe(field);
    fireEvent.keyDown(field, { key: "Escape" });
    expect(document.activeElement).toBe(button);
    button.remove();
  });

  it("offers what can be done in the model of the page, and types a verb on", () => {
    const field = opened("shop");
    fireEvent.focus(field);
    fireEvent.change(field, { target: { value: "add m" } });
    expect(rows()[0]).toBe("add machine");
    fireEvent.keyDown(field, { key: "Tab" });
    expect((field as HTMLInputElement).value).toBe("add machine ");
    fireEvent.change(field, { target: { value: "add machine 2" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(screen.getByRole("dialog", { hidden: true }).textContent).toContain("Add 2 machines");
  });

  it("goes to the page of what has one", () => {
    const field = opened("shop");
    fireEvent.focus(field);
    fireEvent.change(field, { target: { value: "deploy" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(screen.getByRole("status").textContent).toBe("/models/shop/deploy");
  });

  it("does nothing where no model is open", () => {
    const field = opened(null);
    fireEvent.focus(field);
    fireEvent.change(field, { target: { value: "add machine" } });
    expect(screen.queryByText("add machine")).toBeNull();
  });
});
