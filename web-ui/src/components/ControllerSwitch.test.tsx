// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ControllerSwitch } from "./ControllerSwitch";

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function opened(): void {
  vi.stubGlobal("fetch", (address: string) =>
    address.startsWith("https://prod") ? Promise.resolve(new Response()) : Promise.reject(new TypeError("no")),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={["/models/shop/logs"]}>
        <ControllerSwitch name="home" />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Controller home" }));
}

function add(address: string, name: string): void {
  fireEvent.click(screen.getByRole("button", { name: "Add controller" }));
  fireEvent.change(screen.getByLabelText("Address"), { target: { value: address } });
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: name } });
  fireEvent.submit(document.querySelector("form") as HTMLFormElement);
}

describe("the switch between controllers", () => {
  it("leads to the same model of another controller and says whether that answers", async () => {
    opened();
    add("prod:17070", "prod");
    add("away:17070", "");
    const prod = await screen.findByRole("link", { name: /^prod/ });
    expect(prod.getAttribute("href")).toBe("https://prod:17070/models/shop");
    await screen.findByText("answers");
    await screen.findByText("no answer");
    expect(screen.getByRole("link", { name: /^away:17070/ })).toBeTruthy();
  });

  it("forgets one, and takes no address that is none", async () => {
    opened();
    add("prod:17070", "prod");
    fireEvent.click(await screen.findByRole("button", { name: "Forget prod" }));
    expect(screen.queryByRole("link", { name: /^prod/ })).toBeNull();
    add("http://prod", "prod");
    await screen.findByText(/An address such as/);
    expect(screen.queryByRole("link", { name: /^prod/ })).toBeNull();
  });
});
