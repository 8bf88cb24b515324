import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** The content size of an element, kept as it changes; `initial` until it is known. */
export function useSize<E extends Element>(initial: Size): [RefObject<E | null>, Size] {
  const element = useRef<E>(null);
  const [size, setSize] = useState(initial);
  useLayoutEffect(() => {
    const observed = element.current;
    if (!observed || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}
