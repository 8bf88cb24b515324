// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AlertsPage } from "./AlertsPage";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ALERT = {
  id: 7,
  rule: "errors",
  model: "shop",
  subject: "unit/site/0",
  state: "firing",
  detail: "hook failed",
  since: "2026-11-22T21:50:00Z",
  "fired-at": "2026-11-22T21:55:00Z",
};
const RULE = {
  name: "errors",
  condition: "unit-error",
  threshold: "5m",
  receivers: ["ops"],
  firing: 1,
  "created-at": "2026-11-22T21:00:00Z",
};
const RECEIVER = {
  name: "ops",
  type: "webhook",
  config: { url: "https://hooks.example.com/x" },
  rules: ["errors"],
  "created-at": "2026-11-22T21:00:00Z",
};

/** Shows the page; returns what is asked beside reading. */
function opened(): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string, { method = "GET", body }: RequestInit = {}) => {
    if (method !== "GET") asked.push(`${method} ${address} ${body ?? ""}`.trim());
    const answers: [RegExp, unknown][] = [
      [/^\/v1\/alerts\?state=firing/, { items: [ALERT] }],
      [/^\/v1\/alert-rules(\?|$)/, { items: [RULE] }],
      [/^\/v1\/alert-receivers(\?|$)/, { items: [RECEIVER] }],
      [/^\/v1\/alert-deliveries/, { items: [] }],
    ];
    const [, answer = {}] = answers.find(([path]) => method === "GET" && path.test(address)) ?? [];
    return Promise.resolve(new Response(JSON.stringify(answer)));
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <AlertsPage />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

const submit = (): void => void fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("the page of alerts", () => {
  it("shows what fires, leads there, and lets the visitor take it on", async () => {
    const asked = opened();
    const link = await screen.findByRole("link", { name: "site/0" });
    expect(link.getAttribute("href")).toBe("/models/shop/units/site/0");
    fireEvent.click(screen.getByRole("button", { name: /^Acknowledge/ }));
    await waitFor(() => expect(asked).toEqual(["POST /v1/alerts/7/acknowledge"]));
  });

  it("adds a rule that tells whom the visitor chose", async () => {
    const asked = opened();
    await screen.findByText("Unit in error");
    fireEvent.click(screen.getByRole("button", { name: "Add rule" }));
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "disk" } });
    fireEvent.change(screen.getByLabelText("Condition"), { target: { value: "disk-full" } });
    expect(screen.queryByLabelText("Model")).toBeNull();
    fireEvent.change(screen.getByLabelText("Threshold"), { target: { value: "101%" } });
    await screen.findByText("A percentage from 1% to 99%");
    submit();
    expect(asked).toEqual([]);
    fireEvent.change(screen.getByLabelText("Threshold"), { target: { value: "90%" } });
    fireEvent.click(await screen.findByLabelText("ops (webhook)"));
    submit();
    await waitFor(() =>
      expect(asked).toEqual([
        'POST /v1/alert-rules {"name":"disk","condition":"disk-full","threshold":"90%","receivers":["ops"]}',
      ]),
    );
  });

  it("adds a receiver whose key is in no command that is shown", async () => {
    const asked = opened();
    await screen.findByText("https://hooks.example.com/x");
    fireEvent.click(screen.getByRole("button", { name: "Add receiver" }));
    for (const [label, value] of [["Name", "pager"], ["URL", "https://hooks.example.com/y"], ["Key", "hush-hush-hush-77"]] as const) {
      fireEvent.change(screen.getByLabelText(label), { target: { value } });
    }
    expect(document.body.textContent).toContain("key#file=FILE");
    expect(document.body.textContent).not.toContain("hush-hush-hush-77");
    submit();
    await waitFor(() =>
      expect(asked).toEqual([
        'POST /v1/alert-receivers {"name":"pager","type":"webhook","config":{"url":"https://hooks.example.com/y","key":"hush-hush-hush-77"}}',
      ]),
    );
  });

  it("says what the browser does with notifications", async () => {
    vi.stubGlobal("Notification", undefined);
    opened();
    await screen.findByText("This browser cannot show notifications here");
  });
});
