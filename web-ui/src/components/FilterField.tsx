import type { KeyboardEvent, RefObject } from "react";

interface Properties {
  field: RefObject<HTMLInputElement | null>;
  /** What is looked for, and where. */
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Somebody leaves the field. */
  onSettle: () => void;
  /** Escape, in a field that is not empty. */
  onClear: () => void;
  /** From the field to what it filters. */
  onDown: () => void;
}

/** The field that narrows what the page shows: `/` comes to it, Escape clears it, ↓ leaves it for what is shown. */
export function FilterField({ field, label, value, onChange, onSettle, onClear, onDown }: Properties) {
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") onDown();
    else if (event.key === "Escape" && value !== "") onClear();
    else return;
    event.preventDefault();
  };
  return (
    <div className="filter-field">
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onSettle}
        onKeyDown={key}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
