/** What the worker says of a config while it is typed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Validation } from '../worker-api';
import { share } from '../parts/share';
import type { Config } from '../documents/parse-document';
import { LatestOnly } from './latest-only';

const PAUSE_MS = 400;

export interface ValidationState {
  /** The last one, perhaps of an earlier config. */
  readonly answer: Validation | null;
  /** Why the last request failed; null: it did not. */
  readonly error: Error | null;
  /** The answer is not of this config. */
  readonly isPending: boolean;
}

/**
 * @param config null: nothing is sent
 * @param subject a change of it discards the answer, for instance the class of the connector
 */
export function useValidation(
  send: (config: Config) => Promise<Validation>,
  config: Config | null,
  subject: string,
): ValidationState {
  const [state, setState] = useState<Omit<ValidationState, 'isPending'> & { of: Config | null; subject: string }>();
  const latestSend = useRef(send);
  latestSend.current = send;
  const queue = useRef<LatestOnly<Config, Validation> | null>(null);
  useEffect(() => {
    const current = new LatestOnly<Config, Validation>(
      (input) => latestSend.current(input),
      (of, outcome) =>
        setState((previous) => {
          const before = previous?.subject === subject ? previous.answer : null;
          return 'value' in outcome
            ? { answer: share(before, outcome.value), error: null, of, subject }
            : { answer: before, error: outcome.error, of, subject };
        }),
    );
    queue.current = current;
    return () => current.stop();
  }, [subject]);
  const isFirst = state?.subject !== subject;
  useEffect(() => {
    if (config === null) return undefined;
    const timer = setTimeout(() => queue.current?.submit(config), isFirst ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [config, subject]);
  if (isFirst || !state) return { answer: null, error: null, isPending: config !== null };
  return { answer: state.answer, error: state.error, isPending: config !== null && state.of !== config };
}
