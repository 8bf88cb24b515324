import type { KeyboardEvent, RefObject } from "react";
import type { FleetAddress } from "./useFleetView";

const LABEL = "Filter by name, status or message";

interface Properties {
  field: RefObject<HTMLInputElement | null>;
  address: FleetAddress;
  /** From the field to what it filters. */
  onDown: () => void;
}

/** The field that narrows what the page shows: `/` comes to it, Escape clears it, ↓ leaves it for what is shown. */
export function FilterField({ field, address: { text, type, settle, change }, onDown }: Properties) {
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") onDown();
    else if (event.key === "Escape" && text !== "") change({ text: "" });
    else return;
    event.preventDefault();
  };
  return (
    <div className="filter-field">
      <input
        ref={field}
        type="search"
        aria-label={LABEL}
        placeholder={LABEL}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={settle}
        onKeyDown={key}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
