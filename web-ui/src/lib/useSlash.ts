import { type RefObject, useEffect } from "react";

/** `/` comes to the filter of a page that has one; on other pages it comes to the search. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && (at as HTMLInputElement).type !== "checkbox";
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      event.stopPropagation();
      field.current?.focus();
      field.current?.select();
    };
    // Before the search hears of it.
    window.addEventListener("keydown", slash, true);
    return () => window.removeEventListener("keydown", slash, true);
  }, [field]);
}
