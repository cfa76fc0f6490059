/** Renders a long list a part per frame, so that it never keeps the page from answering to keys and clicks. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** More than a window shows. */
const FIRST = 24;
const STEP = 24;

/**
 * @param key of what is listed, such as the filter: another list starts from its first rows
 * @returns how many of `length` rows to render now; it grows by itself
 */
export function useGrowing(length: number, key: string): number {
  const growth = useRef({ key, limit: FIRST });
  const [, render] = useState(0);
  if (growth.current.key !== key) growth.current = { key, limit: FIRST };
  const { limit } = growth.current;
  useEffect(() => {
    if (limit >= length) return;
    // A hidden page has no frames, but its timers run.
    const timer = setTimeout(() => {
      growth.current = { key, limit: limit + STEP };
      render((times) => times + 1);
    }, 16);
    return () => clearTimeout(timer);
  }, [key, limit, length]);
  return Math.min(limit, length);
}
