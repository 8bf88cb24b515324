// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ApplicationInfo } from "../../api/types";
import { TermsOf } from "./Terms";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const SITE = { name: "site", life: "alive", subordinate: false, units: ["site/0"] } as unknown as ApplicationInfo;

/** Shows what holds of an application; returns what is asked. */
function opened(more: Partial<ApplicationInfo> = {}, mayWrite = true, mayAdmin = true): [string, unknown][] {
  const asked: [string, unknown][] = [];
  vi.stubGlobal("fetch", (address: string, { body }: RequestInit) => {
    asked.push([address, JSON.parse(String(body))]);
    return Promise.resolve(new Response("{}"));
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TermsOf model="m" application={{ ...SITE, ...more }} mayWrite={mayWrite} mayAdmin={mayAdmin} />
    </QueryClientProvider>,
  );
  return asked;
}

const AT = "/v1/models/m/applications/site";
const edit = (what: string): boolean => fireEvent.click(screen.getByRole("button", { name: new RegExp(`^Edit\\s*${what}`) }));
const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("what holds of an application beside its options", () => {
  it("has a minimum that is a number", async () => {
    const asked = opened();
    edit("Minimum number of units");
    const field = screen.getByLabelText("Keep at least");
    fireEvent.change(field, { target: { value: "-1" } });
    submit();
    expect(asked).toEqual([]);
    fireEvent.change(field, { target: { value: "2" } });
    submit();
    await waitFor(() => expect(asked).toEqual([[`${AT}/min-units`, { "min-units": 2 }]]));
  });

  it("has trust that is given and taken back", async () => {
    const asked = opened({ trust: true });
    edit("Trusted with the cloud's credential");
    screen.getByText("Take the trust in site back");
    submit();
    await waitFor(() => expect(asked).toEqual([[`${AT}/trust`, { trust: false }]]));
  });

  it("has trust that is an admin's word", () => {
    opened({}, true, false);
    const disabled = (what: string) =>
      screen.getByRole<HTMLButtonElement>("button", { name: new RegExp(`^Edit\\s*${what}`) }).disabled;
    expect(disabled("Trusted with the cloud's credential")).toBe(true);
    expect(disabled("Minimum number of units")).toBe(false);
  });

  it("has constraints that are words", async () => {
    const asked = opened({ constraints: "mem=4096M" });
    screen.getByText("mem=4096M");
    edit("Constraints of its machines");
    fireEvent.change(screen.getByLabelText("Constraints"), { target: { value: " cores=2  mem=1G " } });
    submit();
    await waitFor(() => expect(asked).toEqual([[`${AT}/constraints`, { constraints: "cores=2 mem=1G" }]]));
  });

  it("is only shown to readers, and partly of a subordinate", () => {
    opened({ "min-units": 3 }, false);
    screen.getByText("3");
    expect(screen.queryByRole("button", { name: /^Edit/ })).toBeNull();
    cleanup();
    opened({ subordinate: true });
    const disabled = (what: string) =>
      screen.getByRole<HTMLButtonElement>("button", { name: new RegExp(`^Edit\\s*${what}`) }).disabled;
    expect(disabled("Minimum number of units")).toBe(true);
    expect(disabled("Trusted with the cloud's credential")).toBe(false);
  });
});
