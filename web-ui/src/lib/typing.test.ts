// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { isSlash, takesText } from "./typing";

afterEach(() => document.body.replaceChildren());

function put(html: string): HTMLElement {
  document.body.innerHTML = html;
  return document.body.querySelector<HTMLElement>("[data-here]") ?? (document.body.firstElementChild as HTMLElement);
}

/** The key as the page hears of it when it is pressed there. */
function pressed(at: HTMLElement, more: KeyboardEventInit = {}): boolean {
  let heard = false;
  const hear = (event: KeyboardEvent): void => void (heard = isSlash(event));
  document.addEventListener("keydown", hear);
  at.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, ...more }));
  document.removeEventListener("keydown", hear);
  return heard;
}

describe("what takes text", () => {
  it.each([
    "<input>",
    '<input type="search">',
    '<input type="number">',
    '<input type="password">',
    "<textarea></textarea>",
    "<select></select>",
    "<p contenteditable><b data-here>bold</b></p>",
  ])("is %s", (html) => {
    expect(takesText(put(html))).toBe(true);
    expect(pressed(put(html))).toBe(false);
  });

  it.each([
    '<input type="checkbox">',
    '<input type="radio">',
    '<input type="file">',
    "<button></button>",
    '<a href="/models">Models</a>',
    '<p contenteditable="false">no</p>',
  ])("is not %s", (html) => {
    expect(takesText(put(html))).toBe(false);
    expect(pressed(put(html))).toBe(true);
  });

  it("is not the document, nor nothing", () => {
    expect([document, window, null].map((each) => takesText(each))).toEqual([false, false, false]);
  });
});

describe("/ for the page", () => {
  it("is pressed alone", () => {
    const body = put("<p></p>");
    for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) expect(pressed(body, held)).toBe(false);
    expect(pressed(body, { key: "?" })).toBe(false);
  });

  it("is the dialog's as long as one is open", () => {
    expect(pressed(put("<p data-here></p><dialog open></dialog>"))).toBe(false);
  });
});
