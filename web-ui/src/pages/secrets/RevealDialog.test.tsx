// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SecretInfo } from "../../api/types";
import { RevealDialog } from "./RevealDialog";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const SECRET = { id: "d1v0hfnqk2s5c2h9a0vg", label: "database", owner: { kind: "model", name: "m" } } as SecretInfo;

/** Opens the dialog before a controller that answers so. */
function opened(status: number, body: unknown): { asked: unknown[]; closed: () => number } {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (address: string, { body: sent }: RequestInit) => {
    asked.push([address, JSON.parse(String(sent))]);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  const onClose = vi.fn();
  render(<RevealDialog model="m" secret={SECRET} revision={2} onClose={onClose} />);
  return { asked, closed: () => onClose.mock.calls.length };
}

const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

const REVEALED = { revision: 2, values: { password: "hush", "user-name": "ann" } };

describe("revealing a secret", () => {
  it("says that it is recorded before it asks for anything", async () => {
    const { asked } = opened(200, REVEALED);
    expect(screen.getByText(/The audit log records/)).toBeTruthy();
    expect(asked).toEqual([]);
    submit();
    expect(await screen.findByText("hush")).toBeTruthy();
    expect(screen.getByText("ann")).toBeTruthy();
    expect(asked).toEqual([["/v1/models/m/secrets/d1v0hfnqk2s5c2h9a0vg/reveal", { revision: 2 }]]);
  });

  it("hides the values after a minute", async () => {
    const { closed } = opened(200, REVEALED);
    submit();
    await screen.findByText("hush");
    act(() => void vi.advanceTimersByTime(58_000));
    expect(screen.getByText("Hidden again in 2 s.")).toBeTruthy();
    expect(closed()).toBe(0);
    act(() => void vi.advanceTimersByTime(2_500));
    expect(closed()).toBeGreaterThan(0);
  });

  it("hides them when the page is left, or when asked to", async () => {
    const { closed } = opened(200, REVEALED);
    submit();
    await screen.findByText("hush");
    fireEvent(window, new Event("pagehide"));
    expect(closed()).toBe(1);
    submit();
    expect(closed()).toBe(2);
  });

  it("shows why the controller refuses", async () => {
    opened(503, { status: 503, code: "secret-backend-unavailable", title: "The back end cannot be used", detail: "it is away" });
    submit();
    expect(await screen.findByText("The back end cannot be used")).toBeTruthy();
    expect(screen.queryByText("hush")).toBeNull();
  });
});
