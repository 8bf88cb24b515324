// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isFree } from "../../live/context";
import { SessionProvider } from "../../session";
import { UnitFiles } from "./UnitFiles";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const DIRECTORY = {
  unit: "site/0",
  path: "/state",
  entries: [
    { name: "site", kind: "directory", bytes: 0, "modified-at": "2026-01-02T03:04:05Z" },
    { name: "note", kind: "file", bytes: 2048, "modified-at": "2026-01-02T03:04:05Z" },
    { name: "away", kind: "link", bytes: 0, "modified-at": "2026-01-02T03:04:05Z" },
  ],
  count: 1500,
};

const json = (value: unknown, status = 200): Response => new Response(JSON.stringify(value), { status });

/** Shows the tab as somebody with this access; returns what was looked at. */
function opened(access: string, search: string, answer: () => Response, queries = new QueryClient()): string[] {
  const looks: string[] = [];
  vi.stubGlobal("fetch", (address: string, { body }: RequestInit = {}) => {
    if (address === "/v1/session") return Promise.resolve(json({ user: "ann", csrf: "x" }));
    if (address === "/v1/whoami") {
      return Promise.resolve(json({ user: "ann", access: "login", models: [{ name: "m", uuid: "u", access }] }));
    }
    looks.push(`${address.split("/").at(-1) ?? ""} ${(JSON.parse(String(body)) as { path: string }).path}`);
    return Promise.resolve(answer());
  });
  render(
    <QueryClientProvider client={queries}>
      <MemoryRouter initialEntries={[`/${search}`]}>
        <SessionProvider>
          <UnitFiles model="m" unit="site/0" />
        </SessionProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return looks;
}

describe("files of a unit", () => {
  it("are for admins of the model; others are told so and nothing is asked for", async () => {
    const looks = opened("write", "", () => json(DIRECTORY));
    await screen.findByRole("heading", { name: "Only admins of m see the files of its units" });
    expect(looks).toEqual([]);
  });

  it("are listed with kinds and sizes, and links are not followed", async () => {
    const looks = opened("admin", "", () => json(DIRECTORY));
    await screen.findByText("2.0 KiB");
    await screen.findByText(/Every access is recorded in the/);
    expect(screen.getByRole("link", { name: "note" }).getAttribute("href")).toBe("/?view=files&file=%2Fstate%2Fnote");
    expect(screen.getByRole("link", { name: "site" }).getAttribute("href")).toBe("/?view=files&path=%2Fstate%2Fsite");
    expect(screen.queryByRole("link", { name: "away" })).toBeNull();
    await screen.findByText("/state has 1500 entries. The first 3 are listed.");
    expect(looks).toEqual(["list /state"]);
    fireEvent.click(screen.getByRole("button", { name: "Refresh" }));
    await vi.waitFor(() => expect(looks).toEqual(["list /state", "list /state"]));
  });

  it("are not looked at again when the page catches up with the controller", async () => {
    const queries = new QueryClient();
    const looks = opened("admin", "", () => json(DIRECTORY), queries);
    await screen.findByText("2.0 KiB");
    await queries.invalidateQueries({ predicate: isFree });
    expect(looks).toEqual(["list /state"]);
    await queries.invalidateQueries();
    expect(looks).toEqual(["list /state", "list /state"]);
  });

  it("may be none", async () => {
    opened("admin", "", () => json({ ...DIRECTORY, entries: [], count: 0 }));
    await screen.findByRole("heading", { name: "No files in site/0" });
  });

  it("are shown as they are, and what is no text in base 16", async () => {
    const looks = opened("admin", "?file=/state/site/a.html", () => new Response("<script>x</script>"));
    const shown = await screen.findByRole("region", { name: "Content of /state/site/a.html" });
    expect(shown.textContent).toBe("<script>x</script>");
    expect(shown.querySelector("script")).toBeNull();
    await screen.findByText("Text, 18 bytes.");
    expect(looks).toEqual(["read /state/site/a.html"]);
    cleanup();
    opened("admin", "?file=/state/a.png", () => new Response(new Uint8Array([0, 80, 255])));
    await screen.findByText("Binary, 3 bytes.");
    expect(screen.getByRole("region").textContent).toMatch(/^000000 {2}00 50 ff {2,}\.P\.$/);
  });

  it("are shown up to a bound", async () => {
    const long = new Response("x".repeat((256 << 10) + 1), { headers: { "Content-Length": String((256 << 10) + 1) } });
    opened("admin", "?file=/state/long", () => long);
    await screen.findByText(/The first 256\.0 KiB are shown\. Download it to see the rest\./);
    expect(screen.getByRole("region").textContent).toHaveLength(256 << 10);
  });

  it("that cannot be read are refused in words, once", async () => {
    const silent = { code: "agent-silent", title: "Not now", detail: "the agent of site/0 did not answer in time", advice: "try again" };
    const looks = opened("admin", "", () => json(silent, 503));
    await screen.findByText(/The agent of site\/0 did not answer in time\./);
    expect(looks).toEqual(["list /state"]);
  });
});
