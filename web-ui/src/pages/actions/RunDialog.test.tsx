// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { UnitInfo } from "../../api/types";
import { type Offer, RunDialog, type Start } from "./RunDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const unit = (name: string, leader = false): UnitInfo => ({ name, application: "site", leader }) as UnitInfo;

const REBUILD: Offer = {
  name: "rebuild",
  action: {
    description: "Builds all pages anew",
    parallel: false,
    schema: {
      type: "object",
      properties: {
        "title-suffix": { type: "string" },
        pages: { type: "integer", default: 1, minimum: 1, maximum: 100 },
        "dry-run": { type: "boolean", default: false },
      },
    },
  },
};

function Place() {
  return <p>at {useLocation().pathname}</p>;
}

/** Opens the dialog before a controller that answers so; returns what it is asked. */
function opened(offer: Offer, answer: { status: number; body: unknown }, start?: Start, fixed?: string[]): unknown[] {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: RequestInit) => {
    asked.push(JSON.parse(String(body)));
    return Promise.resolve(new Response(JSON.stringify(answer.body), { status: answer.status }));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <Place />
        <RunDialog
          model="m"
          application="site"
          offer={offer}
          units={[unit("site/0", true), unit("site/1")]}
          fixed={fixed}
          start={start ?? {}}
          onClose={() => {}}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return asked;
}

const STARTED = { status: 200, body: { id: 12, tasks: [] } };
const field = (name: string): HTMLInputElement => screen.getByLabelText(name);
const type = (name: string, value: string): boolean => fireEvent.change(field(name), { target: { value } });
const run = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("running an action", () => {
  it("sends what differs from the defaults, and leads to the operation", async () => {
    const asked = opened(REBUILD, STARTED);
    expect(field("pages").value).toBe("1");
    expect(field("dry-run").value).toBe("false");
    type("pages", "3");
    fireEvent.click(screen.getByLabelText("The leader, site/0"));
    run();
    await screen.findByText("at /models/m/operations/12");
    expect(asked).toEqual([{ action: "rebuild", parameters: { pages: 3 }, units: ["site/leader"] }]);
  });

  it("says beside the field what is wrong, and sends nothing", () => {
    const asked = opened(REBUILD, STARTED);
    type("pages", "0");
    fireEvent.click(screen.getByLabelText("Some units"));
    expect(screen.queryByText("Choose at least one unit")).toBeNull();
    run();
    expect(document.activeElement).toBe(field("pages"));
    expect(field("pages").getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById(field("pages").getAttribute("aria-describedby")?.split(" ")[0] ?? "")?.textContent).toBe(
      "A whole number from 1 to 100",
    );
    expect(screen.getByText("Choose at least one unit")).toBeTruthy();
    expect(asked).toEqual([]);
  });

  it("shows a refusal beside its field until that is changed", async () => {
    const detail = "pages: 60 is greater than the maximum of 50";
    opened(REBUILD, { status: 400, body: { status: 400, code: "action-parameters-invalid", title: "Not valid", detail } });
    type("pages", "60");
    run();
    await screen.findByText("60 is greater than the maximum of 50.");
    await waitFor(() => expect(document.activeElement).toBe(field("pages")));
    expect(screen.queryByText("Not valid")).toBeNull();
    type("title-suffix", "x");
    expect(screen.getByText("60 is greater than the maximum of 50.")).toBeTruthy();
    type("pages", "50");
    expect(screen.queryByText("60 is greater than the maximum of 50.")).toBeNull();
  });

  it("shows any other refusal as a whole", async () => {
    opened(REBUILD, { status: 409, body: { status: 409, code: "tasks-exceeded", title: "Too many tasks wait", detail: "100 wait" } });
    run();
    await screen.findByText("Too many tasks wait");
  });

  it("begins with what an earlier run was given", async () => {
    const start: Start = {
      parameters: { pages: 7, "dry-run": false, more: [1] },
      target: { who: "named", units: ["site/1"] },
      options: { timeout: "30", parallel: "true", group: "" },
    };
    const asked = opened(REBUILD, STARTED, start);
    expect(screen.getByLabelText<HTMLInputElement>("site/1").checked).toBe(true);
    run();
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked).toEqual([
      { action: "rebuild", parameters: { pages: 7, more: [1] }, units: ["site/1"], timeout: 30_000, parallel: true },
    ]);
  });
});

describe("running a command", () => {
  it("splits its arguments into words", async () => {
    const asked = opened({ name: "list", action: null }, STARTED, {}, ["site/1"]);
    type("Arguments", "--all 'a b");
    run();
    expect(screen.getByText("A quote is not closed")).toBeTruthy();
    type("Arguments", "--all 'a b'");
    run();
    await waitFor(() => expect(asked).toEqual([{ command: ["list", "--all", "a b"], units: ["site/1"] }]));
  });
});
