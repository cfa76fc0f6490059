/** The definitions of a plugin's keys, kept while the page is open: they change only with the worker. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { request, segment } from '../api/request';
import type { Definition } from '../worker-api';

export interface Definitions {
  readonly definitions: readonly Definition[] | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

const known = new Map<string, readonly Definition[]>();

/**
 * While those of another version are requested, those before are returned.
 * @param plugin class or alias; empty: none
 * @param version as in `plugin.version` settings. (Default: what runs without one)
 */
export function useDefinitions(plugin: string, version: string | null = null): Definitions {
  const key = JSON.stringify([plugin, version]);
  const shown = useRef<{ readonly plugin: string; readonly definitions: readonly Definition[] } | null>(null);
  const [failed, setFailed] = useState<{ readonly key: string; readonly error: Error } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [, setLoaded] = useState('');
  useEffect(() => {
    if (plugin === '' || known.has(key)) return undefined;
    const controller = new AbortController();
    const query = version === null ? '' : `&version=${encodeURIComponent(version)}`;
    request<readonly Definition[]>(`../connector-plugins/${segment(plugin)}/config?hints=true${query}`, {
      signal: controller.signal,
    }).then(
      (definitions) => {
        known.set(key, definitions);
        setLoaded(key);
      },
      (error: Error) => {
        if (!controller.signal.aborted) setFailed({ key, error });
      },
    );
    return () => controller.abort();
  }, [key, attempt]);
  const found = known.get(key) ?? null;
  if (found !== null) shown.current = { plugin, definitions: found };
  return {
    definitions: shown.current?.plugin === plugin ? shown.current.definitions : null,
    error: found === null && failed?.key === key ? failed.error : null,
    retry: () => {
      setFailed(null);
      setAttempt((count) => count + 1);
    },
  };
}
