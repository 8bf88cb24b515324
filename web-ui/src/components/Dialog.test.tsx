// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Dialog } from "./Dialog";

afterEach(cleanup);

describe("a dialog", () => {
  it("closes while it is still in the document, so that the browser gives the focus back", () => {
    const { prototype } = HTMLDialogElement;
    const known = Object.getOwnPropertyDescriptor(prototype, "close");
    const connected: boolean[] = [];
    prototype.close = function (this: HTMLDialogElement) {
      connected.push(this.isConnected);
    };
    try {
      const { unmount } = render(
        <Dialog title="Remove site" submit="Remove" onSubmit={() => {}} onClose={() => {}}>
          <p>It goes.</p>
        </Dialog>,
      );
      unmount();
      expect(connected).toEqual([true]);
    } finally {
      if (known) Object.defineProperty(prototype, "close", known);
      else delete (prototype as { close?: unknown }).close;
    }
  });
});
