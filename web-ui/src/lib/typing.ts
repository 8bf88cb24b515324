/**
 * Whether somebody is typing: the one rule for every key that means something on a page, and for whatever would take
 * the focus away. Pure.
 */

/** Inputs that take no text: a letter pressed on them is meant for the page. */
const NO_TEXT = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

/** Whether letters go into the element. A select counts: they choose among its options. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type);
  if (target.matches("textarea, select")) return true;
  const edited = target.closest("[contenteditable]");
  return edited !== null && edited.getAttribute("contenteditable") !== "false";
}

/** Whether a key is `/` for the page: alone, outside of what takes text, and with no dialog open. */
export function isSlash(event: KeyboardEvent): boolean {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !takesText(event.target) && document.querySelector("dialog[open]") === null;
}
