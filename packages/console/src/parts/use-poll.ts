/** `Poll` for a component. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Poll, type PollState } from './poll';

export interface Polled<T> extends PollState<T> {
  /** Requests now, for instance after a change. */
  readonly refresh: () => void;
}

/**
 * Requests every 2 s while the page is visible and this component is mounted.
 * @param key a change of it discards what was loaded, for instance the connector's name
 */
export function usePoll<T>(
  load: (signal: AbortSignal, previous: T | null) => Promise<T>,
  key: string,
  intervalMs?: number,
): Polled<T> {
  const latest = useRef(load);
  latest.current = load;
  const [state, setState] = useState<Polled<T> & { key: string }>();
  const poll = useRef<Poll<T> | null>(null);
  useEffect(() => {
    const current = new Poll<T>({
      load: (signal, previous) => latest.current(signal, previous),
      intervalMs,
      onChange: (changed) => setState({ ...changed, key, refresh: current.refresh }),
    });
    poll.current = current;
    current.start();
    return () => current.stop();
  }, [key, intervalMs]);
  if (state?.key === key) return state;
  return { data: null, at: null, error: null, isStale: false, refresh: () => poll.current?.refresh() };
}
