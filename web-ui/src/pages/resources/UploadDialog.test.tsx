// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { UploadDialog } from "./UploadDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A request that goes as far as the test lets it. */
class Request {
  static last: Request;
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  responseText = "";
  aborted = false;
  onload = (): void => {};
  onabort = (): void => {};
  address = "";
  constructor() {
    Request.last = this;
  }
  open(method: string, address: string): void {
    this.address = `${method} ${address}`;
  }
  setRequestHeader(): void {}
  send(): void {}
  abort(): void {
    this.aborted = true;
    this.onabort();
  }
  answer(status: number, body: unknown): void {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload();
  }
}

function opened(): { done: ReturnType<typeof vi.fn> } {
  vi.stubGlobal("XMLHttpRequest", Request);
  const done = vi.fn();
  render(<UploadDialog model="m" application="site" resource="theme" onDone={done} onClose={() => {}} />);
  return { done };
}

const choose = (): boolean =>
  fireEvent.change(screen.getByLabelText("File"), { target: { files: [new File(["0123456789"], "theme.css")] } });
const submit = (): boolean => fireEvent.submit(document.querySelector("form") as HTMLFormElement);

describe("attaching a file", () => {
  it("sends nothing before a file is chosen", () => {
    opened();
    const attach = (): HTMLButtonElement => screen.getByText("Attach", { selector: "button" });
    expect(attach().disabled).toBe(true);
    choose();
    expect(attach().disabled).toBe(false);
  });

  it("shows how far it got, and is done once it is there", async () => {
    const { done } = opened();
    choose();
    submit();
    expect(Request.last.address).toBe("PUT /v1/models/m/applications/site/resources/theme");
    act(() => Request.last.upload.onprogress?.({ loaded: 5 }));
    expect(screen.getByText("5 B of 10 B")).toBeTruthy();
    await act(async () => Request.last.answer(200, { revision: 1 }));
    expect(done).toHaveBeenCalledOnce();
  });

  it("shows a refusal", async () => {
    const { done } = opened();
    choose();
    submit();
    const refusal = { status: 413, code: "resource-too-large", title: "The resource was refused", detail: "too large" };
    await act(async () => Request.last.answer(413, refusal));
    expect(screen.getByText("The resource was refused")).toBeTruthy();
    expect(done).not.toHaveBeenCalled();
  });

  it("is cancelled without an error", async () => {
    opened();
    choose();
    submit();
    await act(async () => fireEvent.click(screen.getByText("Cancel upload")));
    expect(Request.last.aborted).toBe(true);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByText("Cancel upload")).toBeNull();
  });
});
