/** What differs between two configs, and the `PATCH` that makes one of the other. Pure. */
import type { Change, ConfigPatch } from '../worker-api';
import type { Config } from '../documents/parse-document';
import { HIDDEN } from './form-model';

export interface KeyChange {
  readonly key: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Undefined: absent. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The values are not to be shown. */
  readonly isSecret: boolean;
}

/** Ordered by key. `secrets`: keys whose values are secret even where the config shows them. */
export function diffConfigs(before: Config, after: Config, secrets: ReadonlySet<string> = new Set()): KeyChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key): KeyChange[] => {
    const old = valueOf(before, key);
    const now = valueOf(after, key);
    if (old === now) return [];
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const isSecret = secrets.has(key) || !!old?.includes(HIDDEN) || !!now?.includes(HIDDEN);
    return [{ key, kind, before: old, after: now, isSecret }];
  });
}

/** Body of `PATCH /connectors/NAME/config`: null removes a key. Keys that are not in it, such as secrets, stay. */
export function toPatch(changes: readonly KeyChange[]): ConfigPatch {
  return Object.fromEntries(changes.map(({ key, after }) => [key, after ?? null]));
}

/** For `ConfigDiff`, which shows that a secret changed by two equal values. */
export function shownChanges(changes: readonly KeyChange[]): Change['keys'] {
  return changes.map(({ key, before, after, isSecret }) =>
    isSecret ? { key, before: HIDDEN, after: HIDDEN } : { key, before: before ?? null, after: after ?? null },
  );
}

/** Changes that would store the mark of a hidden value instead of the value. */
export function withHiddenMark(changes: readonly KeyChange[]): readonly KeyChange[] {
  return changes.filter(({ after }) => after?.includes(HIDDEN));
}

export interface Rebased {
  /** The current config with the own changes. */
  readonly draft: Config;
  /** What others changed since. */
  readonly theirs: readonly KeyChange[];
  /** Keys that both changed, to different values; the draft has the own ones. */
  readonly conflicts: readonly string[];
}

/** Applies the changes from `base` to `draft` to the config as it is now. */
export function rebase(base: Config, draft: Config, current: Config): Rebased {
  const own = diffConfigs(base, draft);
  const theirs = diffConfigs(base, current);
  const next = new Map(Object.entries(current));
  for (const { key, after } of own) {
    if (after === undefined) next.delete(key);
    else next.set(key, after);
  }
  const conflicts = own.filter(({ key, after }) => {
    const other = theirs.find((change) => change.key === key);
    return other !== undefined && other.after !== after;
  });
  return { draft: Object.fromEntries(next), theirs, conflicts: conflicts.map(({ key }) => key) };
}

export function sameConfig(a: Config, b: Config): boolean {
  return diffConfigs(a, b).length === 0;
}

function valueOf(config: Config, key: string): string | undefined {
  return Object.hasOwn(config, key) ? config[key] : undefined;
}
