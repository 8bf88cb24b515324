// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PhoneDialog } from "./PhoneDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const at = (address: string): void => {
  vi.stubGlobal("location", new URL(address));
};

describe("Open on a phone", () => {
  it("shows the address of the page as a code, and says that it lets nobody in", async () => {
    at("https://controller.example:17070/models/shop?q=front#secret");
    render(<PhoneDialog onClose={() => {}} />);
    const url = "https://controller.example:17070/models/shop?q=front";
    expect(await screen.findByRole("img", { name: `QR code of ${url}`, hidden: true })).toBeTruthy();
    expect(screen.getByText(url)).toBeTruthy();
    expect(screen.getByText(/asks for a user and a password, and the code does not expire/)).toBeTruthy();
  });

  it("offers no code for an address that leads to the phone itself", () => {
    at("https://127.0.0.1:17070/models");
    const onClose = vi.fn();
    render(<PhoneDialog onClose={onClose} />);
    expect(screen.getByText(/A phone cannot reach/).textContent).toContain("127.0.0.1:17070");
    expect(screen.queryByRole("img", { hidden: true })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Done", hidden: true }));
    expect(onClose).toHaveBeenCalledOnce();
  });
});
