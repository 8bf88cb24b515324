// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AddSecretDialog } from "./AddSecretDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Place() {
  return <p>at {useLocation().pathname}</p>;
}

function opened(): unknown[] {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: RequestInit) => {
    asked.push(JSON.parse(String(body)));
    return Promise.resolve(new Response(JSON.stringify({ id: "d1v0hfnqk2s5c2h9a0vg" })));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <Place />
        <AddSecretDialog model="m" onClose={() => {}} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

const type = (name: string, value: string): boolean =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });
const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("adding a secret", () => {
  it("sends what was typed and leads to it", async () => {
    const asked = opened();
    type("Name", "database");
    type("Key 1", "password");
    type("Value 1", "hush\nhush");
    fireEvent.click(screen.getByText("Another value"));
    submit();
    await screen.findByText("at /models/m/secrets/d1v0hfnqk2s5c2h9a0vg");
    expect(asked).toEqual([{ name: "database", description: "", values: { password: "hush\nhush" } }]);
  });

  it("has no value in the commands that it shows", () => {
    opened();
    type("Name", "database");
    type("Key 1", "password");
    type("Value 1", "hush");
    expect(document.querySelector(".command-hint code")?.textContent).toBe("periapt add-secret -m m database --file values.yaml");
    expect([...document.querySelectorAll("[title]")].some((each) => each.getAttribute("title")?.includes("hush"))).toBe(false);
  });

  it("says what is wrong and sends nothing", () => {
    const asked = opened();
    type("Name", "database");
    submit();
    type("Value 1", "hush");
    submit();
    expect(screen.getByText(/^At least 3 lower-case letters/)).toBeTruthy();
    expect(screen.getByText<HTMLButtonElement>("Add secret", { selector: "button" }).disabled).toBe(true);
    expect(screen.getByText("Copy as CLI").closest("button")?.disabled).toBe(true);
    type("Key 1", "password");
    fireEvent.click(screen.getByText("Another value"));
    type("Key 2", "password");
    submit();
    expect(screen.getByText("Another value has this key")).toBeTruthy();
    type("Name", "-");
    submit();
    expect(screen.getByText(/^Letters, digits, dashes/)).toBeTruthy();
    expect(asked).toEqual([]);
  });
});
