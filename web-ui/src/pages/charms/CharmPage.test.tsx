// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CharmInfo } from "../../api/types";
import { Limits } from "./Limits";
import { Readme } from "./Readme";

const { info, readme } = vi.hoisted(() => ({ info: vi.fn(), readme: vi.fn() }));
vi.mock("../../api", () => ({ controller: { info }, charms: { readme } }));

afterEach(cleanup);

const show = (part: ReactNode): HTMLElement =>
  render(<QueryClientProvider client={new QueryClient()}>{part}</QueryClientProvider>).container;

describe("the limits of a hook", () => {
  it("are those of this controller", async () => {
    info.mockResolvedValue({
      "hook-limits": {
        "memory-bytes": 32 << 20,
        "table-elements": 20_000,
        "output-bytes": 1 << 20,
        "host-calls": 5_000,
        "wall-clock-ms": 500,
        "state-directory-bytes": 256 << 20,
      },
    });
    const page = show(<Limits />);
    expect((await screen.findByText("Memory")).nextSibling?.textContent).toBe("32.0 MiB");
    expect(screen.getByText("Time for one hook").nextSibling?.textContent).toBe("0.5 s");
    expect(screen.getByText("Calls into the host").nextSibling?.textContent).toBe("5,000");
    expect(page.textContent).not.toMatch(/default|bootstrap/);
  });
});

describe("the README of a charm", () => {
  const charm = { url: "local:site-0", sha256: "0123" } as CharmInfo;

  it("is text, of which nothing is fetched or run", async () => {
    const text = "# site\n\n<img src=x onerror=alert(1)> ![p](https://elsewhere.example/p.png)\n\n    periapt deploy x\n";
    readme.mockResolvedValue({ file: "README.md", text, truncated: false });
    const page = show(<Readme model="shop" charm={charm} />);
    expect((await screen.findByRole("heading", { level: 3 })).textContent).toBe("site");
    expect(readme).toHaveBeenCalledWith("shop", "local:site-0");
    expect(page.querySelectorAll("img, a, script, iframe")).toHaveLength(0);
    expect(page.querySelector("p")?.textContent).toBe("<img src=x onerror=alert(1)> ![p](https://elsewhere.example/p.png)");
    expect(page.querySelector("pre")?.textContent).toBe("periapt deploy x");
  });

  it("says where the rest of it is, and how a charm comes to one", async () => {
    readme.mockResolvedValue({ file: "README", text: "Long", truncated: true });
    show(<Readme model="shop" charm={charm} />);
    await screen.findByText("The rest of README is in the charm's archive.");
    cleanup();
    readme.mockResolvedValue({ file: "", text: "", truncated: false });
    show(<Readme model="shop" charm={charm} />);
    await screen.findByText(/The charm has none/);
  });
});
