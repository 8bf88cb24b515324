import { type RefObject, useEffect } from "react";
import { isSlash } from "./typing";

/** `/` comes to the filter of a page that has one; on other pages it comes to the search. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      if (!isSlash(event)) return;
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
