// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Blocks } from "./BlocksPage";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Shows the page of a model in which this is disabled; returns what is asked beside reading. */
function opened(held: { kind: string; message: string }[], mayAdmin = true): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string, { method, body }: RequestInit) => {
    if (method !== "GET") asked.push(`${method} ${address} ${body ?? ""}`.trim());
    return Promise.resolve(new Response(JSON.stringify(method === "GET" ? { items: held } : {})));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Blocks model="m" mayAdmin={mayAdmin} />
    </QueryClientProvider>,
  );
  return asked;
}

describe("blocks", () => {
  it("are disabled with a message", async () => {
    const asked = opened([]);
    fireEvent.click(await screen.findByRole("button", { name: /^Disable\s*remove-object/ }));
    fireEvent.change(screen.getByLabelText("Message"), { target: { value: "ask Ann first" } });
    fireEvent.submit(document.querySelector("form") as HTMLFormElement);
    await waitFor(() => expect(asked).toEqual(['PUT /v1/models/m/blocks/remove-object {"message":"ask Ann first"}']));
  });

  it("are enabled again", async () => {
    const asked = opened([{ kind: "all", message: "frozen" }]);
    await screen.findByText("frozen");
    fireEvent.click(screen.getByRole("button", { name: /^Enable\s*all/ }));
    await waitFor(() => expect(asked).toEqual(["DELETE /v1/models/m/blocks/all"]));
  });

  it("are only shown to others", async () => {
    opened([{ kind: "all", message: "frozen" }], false);
    await screen.findByText("frozen");
    expect(screen.queryByRole("button", { name: /Disable|Enable/ })).toBeNull();
  });
});
