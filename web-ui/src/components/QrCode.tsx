import { useMemo } from "react";
import { qrDrawing } from "../lib/qr";

/** A text for the camera of a phone. Black on white in every theme: many readers know nothing else. */
export default function QrCode({ text, label }: { text: string; label: string }) {
  const { side, path } = useMemo(() => qrDrawing(text), [text]);
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} shapeRendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
