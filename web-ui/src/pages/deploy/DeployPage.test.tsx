// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeployPage } from "./DeployPage";

const api = vi.hoisted(() => ({ deploy: vi.fn(), integrate: vi.fn() }));
vi.mock("../../api", () => ({
  applications: { deploy: api.deploy },
  relations: { integrate: api.integrate },
  storagePools: { list: () => Promise.resolve([]) },
}));
vi.mock("../../components/CharmPicker", () => ({ CharmPicker: () => null }));
vi.mock("../../session", () => ({ useVisitor: () => ({ whoami: undefined }) }));

const charm = (name: string, ends: object) => ({
  url: `local:${name}-0`,
  name,
  subordinate: false,
  metadata: { subordinate: false, provides: {}, requires: {}, ...ends },
  config: { options: {} },
});
const website = { website: { interface: "http", scope: "global" } };
const MODEL = {
  applications: ["blog", "shop"].map((name) => ({ name, charm: "local:site-0", life: "alive" })),
  relations: [],
  machines: [],
  charms: [charm("site", { provides: website }), charm("front", { requires: website })],
};
vi.mock("../../live/context", () => ({ useModel: () => MODEL }));
vi.mock("../../lib/useCharms", () => ({ useCharms: () => ({ charms: MODEL.charms }) }));

let address = "";
function Address() {
  address = useLocation().pathname;
  return null;
}

beforeEach(() => {
  api.deploy.mockReset().mockResolvedValue({});
  api.integrate.mockReset().mockResolvedValue({});
});
afterEach(cleanup);

function show(): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={["/models/m/deploy?charm=local%3Afront-0"]}>
        <Address />
        <Routes>
          <Route path="/models/:model/deploy" element={<DeployPage />} />
          <Route path="*" element={null} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const choose = (name: string): void => void fireEvent.click(screen.getByLabelText(new RegExp(`website with ${name}`)));
const deploy = (): void => void fireEvent.click(screen.getByText("Deploy", { selector: "button" }));

describe("a deploy with relations", () => {
  it("offers what fits, names it as commands, and makes it under the name that is typed last", async () => {
    show();
    choose("shop:website");
    choose("blog:website");
    fireEvent.change(screen.getByLabelText("Application name"), { target: { value: "door" } });
    expect([...document.querySelectorAll(".command-hint code")].map((each) => each.textContent)).toContainEqual(
      expect.stringMatching(/integrate -m m door:website blog:website &&\s+periapt integrate -m m door:website shop:website$/),
    );
    deploy();
    await waitFor(() => expect(address).toBe("/models/m/applications/door"));
    expect(api.deploy).toHaveBeenCalledOnce();
    expect(api.integrate.mock.calls).toEqual([
      ["m", ["door:website", "blog:website"]],
      ["m", ["door:website", "shop:website"]],
    ]);
  });

  it("integrates nothing where the deploy is refused", async () => {
    api.deploy.mockRejectedValue(new Error("no such charm"));
    show();
    choose("shop:website");
    deploy();
    expect(await screen.findByText(/no such charm/i)).toBeTruthy();
    expect(api.integrate).not.toHaveBeenCalled();
  });

  it("says that the application is deployed though a relation was refused, and tries that one again", async () => {
    api.integrate.mockImplementation((_, [, other]: [string, string]) =>
      other === "shop:website" ? Promise.reject(new Error("no room")) : Promise.resolve({}),
    );
    show();
    choose("blog:website");
    choose("shop:website");
    deploy();
    expect(await screen.findByText("front is deployed, but a relation was refused")).toBeTruthy();
    expect(screen.getByText(/no room/i)).toBeTruthy();
    expect(screen.getByText("go to front").getAttribute("href")).toBe("/models/m/applications/front");
    expect(screen.queryByText("Deploy", { selector: "button" })).toBeNull();
    api.integrate.mockReset().mockResolvedValue({});
    fireEvent.click(screen.getByText("Try again"));
    await waitFor(() => expect(address).toBe("/models/m/applications/front"));
    expect(api.integrate.mock.calls).toEqual([["m", ["front:website", "shop:website"]]]);
    expect(api.deploy).toHaveBeenCalledOnce();
  });
});
