/** A config while it is edited, beside the one that the worker has. */
import { useCallback, useRef, useState } from 'preact/hooks';
import type { Config } from '../documents/parse-document';
import { rebase, sameConfig, type Rebased } from './config-diff';
import { HIDDEN, withValue } from './form-model';

export interface Draft {
  /** The config with which the changes began. */
  readonly base: Config;
  readonly config: Config;
  readonly isChanged: boolean;
  /** What others changed meanwhile; null: nothing. */
  readonly rebased: Rebased | null;
  readonly change: (config: Config) => void;
  readonly changeKey: (key: string, value: string | undefined) => void;
  readonly discard: () => void;
  /** Continues on the current config, with the own changes. */
  readonly takeOver: () => void;
  /** The worker has stored this config: it is shown until the worker returns another one. */
  readonly stored: (config: Config) => void;
}

export function useDraft(returned: Config): Draft {
  const [edit, setEdit] = useState<{ readonly base: Config; readonly config: Config } | null>(null);
  const [override, setOverride] = useState<{ readonly config: Config; readonly instead: Config } | null>(null);
  const current = override?.instead === returned ? override.config : returned;
  const latest = useRef(current);
  latest.current = current;
  const update = (next: (config: Config) => Config): void =>
    setEdit((previous) => {
      const base = previous?.base ?? latest.current;
      const config = next(previous?.config ?? base);
      return sameConfig(base, config) && sameConfig(base, latest.current) ? null : { base, config };
    });
  const change = useCallback((config: Config) => update(() => config), []);
  const changeKey = useCallback(
    (key: string, value: string | undefined) => update((config) => withValue(config, key, value)),
    [],
  );
  const isBehind = edit !== null && !sameConfig(edit.base, current);
  const rebased = isBehind ? rebase(edit.base, edit.config, current) : null;
  return {
    base: edit?.base ?? current,
    config: edit?.config ?? current,
    isChanged: edit !== null,
    rebased,
    change,
    changeKey,
    discard: () => setEdit(null),
    takeOver: () => {
      if (rebased === null) return;
      setEdit(sameConfig(rebased.draft, current) ? null : { base: current, config: rebased.draft });
    },
    stored: (config) => {
      setOverride({ config: stillHidden(config, returned), instead: returned });
      setEdit(null);
    },
  };
}

/** A secret that was replaced is hidden as the one before. */
function stillHidden(config: Config, returned: Config): Config {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const before = Object.hasOwn(returned, key) ? returned[key] : undefined;
      return [key, before?.includes(HIDDEN) ? before : value];
    }),
  );
}
