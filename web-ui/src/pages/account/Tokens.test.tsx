// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { TokenInfo } from "../../api/types";
import { Tokens } from "./Tokens";

const { tokens } = vi.hoisted(() => ({ tokens: vi.fn() }));
vi.mock("../../api", () => ({ users: { tokens } }));
vi.mock("../../session", () => ({ useVisitor: () => ({ session: { user: "admin" } }) }));

afterEach(cleanup);

const token = (id: string, name: string, rest: Partial<TokenInfo>): TokenInfo => ({
  id,
  name,
  kind: "session",
  current: false,
  "created-at": "2026-11-22T21:50:00Z",
  "expires-at": "2126-11-22T21:50:00Z",
  ...rest,
});

it("each session says from where and with what it was used, and which is this one", async () => {
  tokens.mockResolvedValue([
    token("1", "browser", { current: true, address: "192.0.2.7", program: "Firefox 133 on Linux" }),
    token("2", "browser", { address: "2001:db8::7", program: "Safari 18 on iOS", "last-used": "2026-11-22T21:55:00Z" }),
    token("3", "ci", { kind: "token" }),
  ]);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Tokens user="admin" />
    </QueryClientProvider>,
  );
  await screen.findByRole("table", { name: "Tokens" });
  const rows = screen.getAllByRole("row").slice(1);
  const from = rows.map((row) => row.querySelector('[data-label="Used from"]')?.textContent);
  expect(from).toEqual(["192.0.2.7, Firefox 133 on Linux", "2001:db8::7, Safari 18 on iOS", "—"]);
  expect(rows.map((row) => within(row).queryByText("(this one)") !== null)).toEqual([true, false, false]);
});

const shown = (user: string) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Tokens user={user} />
    </QueryClientProvider>,
  );

it("the command adds the token that the form adds, and stands only beside one's own", () => {
  tokens.mockResolvedValue([]);
  shown("admin");
  const hint = () => document.querySelector(".command-hint code")?.textContent;
  expect(hint()).toBe("periapt add-token NAME");
  fireEvent.change(screen.getByLabelText("Valid for"), { target: { value: "86400" } });
  expect(hint()).toBe("periapt add-token NAME --expires-in 1d");
  cleanup();
  shown("ann");
  expect(screen.queryByText(/add-token/)).toBeNull();
});
