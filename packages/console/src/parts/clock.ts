/** The time by the worker's clock, from which its timestamps are; and a tick for what shows ages. */
import { useEffect, useRef, useState } from 'preact/hooks';

let offsetMs = 0;
const listeners = new Set<() => void>();
let timer: number | undefined;

/** @param at the worker's time, just received */
export function setWorkerTime(at: number): void {
  offsetMs = at - Date.now();
}

export function workerNow(): number {
  return Date.now() + offsetMs;
}

/** @returns what `read` returns, read again every second while the page is visible */
export function useTicking<T>(read: () => T): T {
  const latest = useRef(read);
  latest.current = read;
  const [, setValue] = useState<T>(read);
  useEffect(() => {
    const update = (): void => setValue(() => latest.current());
    listeners.add(update);
    schedule();
    return () => {
      listeners.delete(update);
    };
  }, []);
  return read();
}

function tick(): void {
  timer = undefined;
  for (const listener of listeners) listener();
  schedule();
}

function schedule(): void {
  if (timer === undefined && listeners.size > 0 && document.visibilityState === 'visible')
    timer = window.setTimeout(tick, 1000);
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  timer = undefined;
  if (document.visibilityState === 'visible') tick();
});
