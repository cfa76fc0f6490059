/** The definitions of a plugin's keys, kept while the page is open: they change only with the worker. */
import { useEffect, useState } from 'preact/hooks';
import { request, segment } from '../api/request';
import type { Definition } from '../worker-api';

export interface Definitions {
  readonly definitions: readonly Definition[] | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

const known = new Map<string, readonly Definition[]>();

/** @param plugin class or alias; empty: none */
export function useDefinitions(plugin: string): Definitions {
  const [failed, setFailed] = useState<{ readonly plugin: string; readonly error: Error } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [, setLoaded] = useState('');
  useEffect(() => {
    if (plugin === '' || known.has(plugin)) return undefined;
    const controller = new AbortController();
    request<readonly Definition[]>(`../connector-plugins/${segment(plugin)}/config?hints=true`, {
      signal: controller.signal,
    }).then(
      (definitions) => {
        known.set(plugin, definitions);
        setLoaded(plugin);
      },
      (error: Error) => {
        if (!controller.signal.aborted) setFailed({ plugin, error });
      },
    );
    return () => controller.abort();
  }, [plugin, attempt]);
  const definitions = known.get(plugin) ?? null;
  return {
    definitions,
    error: definitions === null && failed?.plugin === plugin ? failed.error : null,
    retry: () => {
      setFailed(null);
      setAttempt((count) => count + 1);
    },
  };
}
