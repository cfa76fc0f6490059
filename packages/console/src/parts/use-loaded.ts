/** Reads once and on request: for what costs the worker more than a status. */
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The last answer; null: none yet. */
  readonly data: T | null;
  /** Of the last request, if it failed. */
  readonly error: Error | null;
  /** When `data` was read, by the browser's clock. */
  readonly at: number | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * @param key what is loaded: another one begins again
 * @param version a change of it loads again, and keeps what is known meanwhile
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string, version = ''): Loaded<T> {
  const [loaded, setLoaded] = useState<Pick<Loaded<T>, 'data' | 'error' | 'at'> & { readonly key: string }>({
    ...{ key, data: null, error: null, at: null },
  });
  const [isLoading, setLoading] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setLoading(true);
    latest
      .current(signal)
      .then((data) => {
        if (!signal.aborted) setLoaded({ key, data, error: null, at: Date.now() });
      })
      .catch((error: Error) => {
        if (!signal.aborted)
          setLoaded((before) => (before.key === key ? { ...before, error } : { key, data: null, error, at: null }));
      })
      .finally(() => {
        if (!signal.aborted) setLoading(false);
      });
    return () => controller.abort();
  }, [key, version, attempt]);
  const known = loaded.key === key ? loaded : { data: null, error: null, at: null };
  return { ...known, isLoading, reload: () => setAttempt((count) => count + 1) };
}
