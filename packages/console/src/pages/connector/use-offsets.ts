/** The offsets of a connector, read once and on request: reading them costs the worker more than a status. */
import { useEffect, useState } from 'preact/hooks';
import { requestText } from '../../api/request';
import { readOffsets, type ConnectorType, type OffsetRow } from '../../offsets/offsets-model';
import { connectPath } from './use-connector';

export interface Offsets {
  readonly rows: readonly OffsetRow[] | null;
  readonly error: Error | null;
  /** When `rows` were read, by the browser's clock. */
  readonly at: number | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** @param state a change of it reads them again, for instance after the connector has stopped */
export function useOffsets(name: string, type: ConnectorType, state: string): Offsets {
  const [loaded, setLoaded] = useState<Pick<Offsets, 'rows' | 'error' | 'at'>>({ rows: null, error: null, at: null });
  const [isLoading, setLoading] = useState(true);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setLoading(true);
    requestText(connectPath(name, '/offsets'), { signal: controller.signal })
      .then((text) => setLoaded({ rows: readOffsets(text, type), error: null, at: Date.now() }))
      .catch((error: Error) => {
        if (!controller.signal.aborted) setLoaded((previous) => ({ ...previous, error }));
      })
      .finally(() => {
        if (!controller.signal.aborted) setLoading(false);
      });
    return () => controller.abort();
  }, [name, type, state, attempt]);
  return { ...loaded, isLoading, reload: () => setAttempt((count) => count + 1) };
}
