/** From when to when: two fields and what is chosen often. The address has the same range. */
import { useId } from "react";
import { fieldOf, type Range, timeOf } from "../lib/range";
import { useRange } from "../lib/useRange";
import { present, zoneText } from "./charts/time";

const MINUTE = 60_000_000;

const OFTEN: [label: string, minutes: number][] = [
  ["15 min", 15],
  ["1 h", 60],
  ["1 d", 24 * 60],
];

export function TimeRange() {
  const [range, set] = useRange();
  const chosen = range.from !== null || range.to !== null;
  return (
    <div className="time-range" role="group" aria-label="Time range">
      <Moment label="From" time={range.from} onChange={(from) => set({ ...range, from })} />
      <Moment label="To" time={range.to} onChange={(to) => set({ ...range, to })} />
      <div className="time-range__often">
        {OFTEN.map(([label, minutes]) => (
          <button
            key={label}
            type="button"
            className="p-button is-small"
            aria-label={`Last ${label}`}
            onClick={() => set({ from: present() - minutes * MINUTE, to: null } satisfies Range)}
          >
            {label}
          </button>
        ))}
        {chosen && (
          <button type="button" className="p-button is-small" onClick={() => set({ from: null, to: null })}>
            All times
          </button>
        )}
      </div>
    </div>
  );
}

function Moment({ label, time, onChange }: { label: string; time: number | null; onChange: (time: number | null) => void }) {
  const id = useId();
  return (
    <div className="p-form__group">
      <label htmlFor={id}>
        {label} ({zoneText(time ?? present())})
      </label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        value={fieldOf(time)}
        onChange={(event) => onChange(timeOf(event.target.value))}
      />
    </div>
  );
}
