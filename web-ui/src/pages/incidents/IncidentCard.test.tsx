// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { IncidentInfo } from "../../api/types";
import { IncidentCard } from "./IncidentCard";
import { SilenceDialog } from "./SilenceDialog";
import { SkipAllDialog } from "./SkipAllDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const INCIDENT: IncidentInfo = {
  id: "front-start-1b2c3d4e",
  application: "front",
  status: "error",
  hook: "start",
  reason: "no database",
  units: ["front/0", "front/1"],
  since: "2026-11-27T12:00:00Z",
  attempts: 3,
  retriable: true,
  run: 7,
  "last-line": { time: "2026-11-27T12:00:01Z", unit: "front/1", level: "ERROR", message: "connection refused" },
  "changed-before": [
    {
      id: "6",
      time: "2026-11-27T11:59:00Z",
      kind: "config",
      who: "",
      verb: "changed",
      object: "url of front",
      result: "ok",
      message: "",
      was: "a",
      becomes: "b",
      about: ["front"],
    },
  ],
};

/** Shows something of an incident; returns what is asked beside reading. */
function shown(what: React.ReactNode): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string, { method, body }: RequestInit) => {
    asked.push(`${method} ${address} ${body ?? ""}`.trim());
    return Promise.resolve(new Response('{"units":[]}'));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{what}</MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

const card = (incident: IncidentInfo, mayWrite = true): React.ReactNode => (
  <IncidentCard
    model="m"
    incident={incident}
    mayWrite={mayWrite}
    onChanged={() => {}}
    onSkip={() => {}}
    onSilence={() => {}}
  />
);

describe("an incident", () => {
  it("tells its story and is retried in all units at once", async () => {
    const asked = shown(card(INCIDENT));
    screen.getByRole("heading", { name: "front: start failed" });
    screen.getByText("2 units");
    screen.getByText("connection refused");
    screen.getByText(/changed url of front from "a" to "b"/);
    expect(screen.getByRole("link", { name: "Last run" }).getAttribute("href")).toBe("/models/m/hooks/7");
    fireEvent.click(screen.getByRole("button", { name: "Retry all" }));
    await waitFor(() => expect(asked).toEqual(["POST /v1/models/m/incidents/front-start-1b2c3d4e/retry"]));
  });

  it("that is no failed hook is only silenced, and by readers not even that", () => {
    const blocked = { ...INCIDENT, status: "blocked", hook: null, retriable: false };
    shown(card(blocked));
    screen.getByRole("heading", { name: "front is blocked" });
    expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Silence"]);
    cleanup();
    shown(card(INCIDENT, false));
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("is heard of again", async () => {
    const asked = shown(card({ ...INCIDENT, silenced: { since: INCIDENT.since } }));
    screen.getByText("until it changes");
    fireEvent.click(screen.getByRole("button", { name: "End silence" }));
    await waitFor(() => expect(asked).toEqual(["DELETE /v1/models/m/incidents/front-start-1b2c3d4e/silence"]));
  });

  it("is skipped after it was said what follows", async () => {
    const asked = shown(<SkipAllDialog model="m" incident={INCIDENT} onClose={() => {}} />);
    expect(screen.getByText("front/0 and front/1").closest("li")?.textContent).toBe("front/0 and front/1 continue without it.");
    expect(asked).toEqual([]);
    fireEvent.submit(document.querySelector("form") as HTMLFormElement);
    await waitFor(() => expect(asked).toEqual(["POST /v1/models/m/incidents/front-start-1b2c3d4e/skip"]));
  });

  it("is silenced for as long as was chosen", async () => {
    const asked = shown(<SilenceDialog model="m" incident={INCIDENT} onClose={() => {}} />);
    fireEvent.change(screen.getByLabelText("How long"), { target: { value: "3600" } });
    fireEvent.submit(document.querySelector("form") as HTMLFormElement);
    await waitFor(() =>
      expect(asked).toEqual(['POST /v1/models/m/incidents/front-start-1b2c3d4e/silence {"seconds":3600}']),
    );
  });
});
