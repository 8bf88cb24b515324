import { Fragment, type ReactNode } from "react";

/** Things in one line, commas between them; a line breaks between two and within none. */
export function Items({ of, none = "—" }: { of: readonly { key: string; shown: ReactNode }[]; none?: ReactNode }) {
  if (of.length === 0) return none;
  return (
    <span className="items">
      {of.map(({ key, shown }, place) => (
        <Fragment key={key}>
          {place > 0 && " "}
          <span className="nowrap">
            {shown}
            {place < of.length - 1 && ","}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
