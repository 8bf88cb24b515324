/** How much happened when, and a range drawn over it with the pointer. The fields beside it do the same by keyboard. */
import { type PointerEvent, useState } from "react";
import { exactTime, zonedTime } from "../../components/charts/time";
import { useSize } from "../../components/charts/useSize";
import { brushed, buckets } from "../../lib/range";

const HEIGHT = 64;
/** Shorter than this was a click. */
const LEAST = 4;
const WIDTH_OF_BAR = 8;

interface Properties {
  times: readonly number[];
  shown: { from: number; to: number };
  onBrush: (range: { from: number; to: number }) => void;
}

export function TimeBrush({ times, shown, onBrush }: Properties) {
  const [frame, { width }] = useSize<HTMLDivElement>({ width: 640, height: HEIGHT });
  const [drawn, setDrawn] = useState<[number, number] | null>(null);
  const counts = buckets(times, shown.from, shown.to, Math.max(1, Math.floor(width / WIDTH_OF_BAR)));
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  const place = (event: PointerEvent<SVGSVGElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const end = (): void => {
    if (drawn && Math.abs(drawn[0] - drawn[1]) >= LEAST) onBrush(brushed(drawn[0], drawn[1], width, shown));
    setDrawn(null);
  };
  return (
    <div className="time-brush" ref={frame}>
      <svg
        role="img"
        aria-label={`${times.length} entries from ${exactTime(shown.from)} to ${zonedTime(shown.to)}`}
        width={width}
        height={HEIGHT}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([place(event), place(event)]);
        }}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], place(event)])}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(null)}
      >
        {counts.map((count, index) => {
          const height = count === 0 ? 0 : Math.max(3, (count / most) * (HEIGHT - 6));
          return (
            <rect
              key={index}
              className="time-brush__bar"
              x={index * step}
              y={HEIGHT - height}
              width={Math.max(1, step - 2)}
              height={height}
            />
          );
        })}
        {drawn && (
          <rect
            className="time-brush__drawn"
            x={Math.min(...drawn)}
            y={0}
            width={Math.abs(drawn[0] - drawn[1])}
            height={HEIGHT}
          />
        )}
      </svg>
      <p className="time-brush__ends muted" aria-hidden="true">
        <span>{exactTime(shown.from)}</span>
        <span>{zonedTime(shown.to)}</span>
      </p>
    </div>
  );
}
