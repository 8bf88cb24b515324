// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NotesOf } from "./Notes";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Shows what is noted of a unit; returns what is asked beside reading. */
function opened(noted: Record<string, string>, mayWrite = true): unknown[] {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { method, body }: RequestInit) => {
    if (method !== "GET") asked.push(JSON.parse(String(body)));
    const answer = { entity: "unit-site-0", annotations: noted };
    return Promise.resolve(new Response(JSON.stringify(method === "GET" ? { items: [answer] } : answer)));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <NotesOf model="m" entity="site/0" what="unit site/0" mayWrite={mayWrite} />
    </QueryClientProvider>,
  );
  return asked;
}

const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("annotations", () => {
  it("are added, and a wrong key is said beside its field", async () => {
    const asked = opened({});
    await screen.findByText("No annotations on unit site/0.");
    fireEvent.click(screen.getByRole("button", { name: "Annotate" }));
    fireEvent.change(screen.getByLabelText("Key"), { target: { value: "a b" } });
    fireEvent.change(screen.getByLabelText("Text"), { target: { value: "ann" } });
    submit();
    expect(screen.getByText(/^A key must not contain blanks/)).toBeTruthy();
    expect(asked).toEqual([]);
    fireEvent.change(screen.getByLabelText("Key"), { target: { value: "owner" } });
    submit();
    await waitFor(() => expect(asked).toEqual([{ entity: "site/0", set: { owner: "ann" } }]));
  });

  it("are edited and removed", async () => {
    const asked = opened({ owner: "ann" });
    fireEvent.click(await screen.findByRole("button", { name: /^Edit\s*owner/ }));
    fireEvent.change(screen.getByLabelText("Text"), { target: { value: "bob" } });
    submit();
    await waitFor(() => expect(asked).toHaveLength(1));
    await waitFor(() => expect(document.querySelector("form")).toBeNull());
    fireEvent.click(screen.getByRole("button", { name: /^Remove\s*owner/ }));
    await waitFor(() =>
      expect(asked).toEqual([
        { entity: "site/0", set: { owner: "bob" } },
        { entity: "site/0", set: { owner: "" } },
      ]),
    );
  });

  it("of the model are set by a command that names no entity", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify({ items: [] }))));
    render(
      <QueryClientProvider client={new QueryClient()}>
        <NotesOf model="m" entity="model-bf80" ofModel what="model m" mayWrite />
      </QueryClientProvider>,
    );
    await screen.findByText("No annotations on model m.");
    fireEvent.click(screen.getByRole("button", { name: "Annotate" }));
    expect(document.querySelector(".command-hint code")?.textContent).toBe("periapt annotate -m m KEY=");
  });

  it("are only shown to readers", async () => {
    opened({ owner: "ann" }, false);
    await screen.findByText("ann");
    expect(screen.queryByRole("button", { name: /Edit|Remove|Annotate/ })).toBeNull();
  });
});
