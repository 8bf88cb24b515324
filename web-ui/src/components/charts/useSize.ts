import { useCallback, useState, type RefCallback } from 'react';

export interface Size {
  width: number;
  height: number;
}

/**
 * The content size of an element, kept as it changes; `initial` until it is known. The element may
 * come later than whoever asks, and give way to another: it is measured from when it is there.
 */
export function useSize<E extends Element>(initial: Size): [RefCallback<E>, Size] {
  const [size, setSize] = useState(initial);
  const attach = useCallback((element: E | null) => {
    if (!element || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [attach, size];
}
