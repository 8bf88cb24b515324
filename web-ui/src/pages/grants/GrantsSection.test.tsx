// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Grants } from "../../api/types";
import { GrantsSection } from "./GrantsSection";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const AT = "/v1/models/m/applications/vault/grants";
const GRANTS: Grants = {
  application: "vault",
  charm: "local:vault-0",
  capabilities: [
    { capability: "tools/secret", allows: "may keep secrets", why: "keeps a password", standing: "default", used: true },
    {
      capability: "tools/reboot",
      allows: "may restart its machine",
      standing: "denied",
      used: true,
      by: "ann",
      at: "2026-09-21T14:13:20Z",
    },
  ],
};

/** Shows an application's capabilities; returns what is changed. */
function opened(grants: Grants, mayAdmin = true): [string, unknown][] {
  const changed: [string, unknown][] = [];
  vi.stubGlobal("fetch", (address: string, { method = "GET", body }: RequestInit) => {
    if (method !== "GET") changed.push([address, JSON.parse(String(body))]);
    return Promise.resolve(new Response(JSON.stringify(grants)));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <GrantsSection model="m" application="vault" mayAdmin={mayAdmin} />
    </QueryClientProvider>,
  );
  return changed;
}

const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("an application's capabilities", () => {
  it("are listed in words, and granted and revoked after a question", async () => {
    const changed = opened(GRANTS);
    await screen.findByText("may keep secrets");
    screen.getByText("granted by default");
    screen.getByText("denied by ann");
    fireEvent.click(screen.getByRole("button", { name: "Grant tools/reboot" }));
    expect(changed).toEqual([]);
    submit();
    await waitFor(() => expect(changed).toEqual([[AT, { capabilities: ["tools/reboot"] }]]));
    await waitFor(() => expect(document.querySelector("form")).toBeNull());
    fireEvent.click(screen.getByRole("button", { name: "Revoke tools/secret" }));
    submit();
    await waitFor(() => expect(changed[1]).toEqual([`${AT}/revoke`, { capabilities: ["tools/secret"] }]));
  });

  it("that are granted and no component could use are told apart", async () => {
    const [secret] = GRANTS.capabilities;
    opened({ ...GRANTS, capabilities: [{ ...secret!, used: false }] });
    await screen.findByText("granted by default, and no component of the charm could use it");
  });

  it("are only shown to who is no admin", async () => {
    opened(GRANTS, false);
    await screen.findByText("may keep secrets");
    expect(screen.queryByRole("button", { name: "Grant tools/reboot" })).toBeNull();
  });

  it("tell which revision waits, and approve it", async () => {
    const held = {
      charm: "local:vault-1",
      revision: 1,
      by: "bob",
      at: "2026-09-21T14:13:20Z",
      awaits: [{ capability: "tools/credential", why: "asks its cloud" }],
    };
    const changed = opened({ ...GRANTS, held });
    await screen.findByText("local:vault-1 waits for approval");
    fireEvent.click(screen.getByRole("button", { name: "Approve" }));
    submit();
    await waitFor(() => expect(changed).toEqual([[AT, { capabilities: ["tools/credential"] }]]));
  });
});
