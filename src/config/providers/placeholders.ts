/** Finds and replaces `${provider:path:key}` and `${provider:key}`. Results are not scanned again. Source: connect-runtime §8.2. */
import type { ConfigProvider } from './provider';

/** Hears for how long each value that was used is good. Milliseconds. */
export type Expires = (ttlMs: number) => void;

const PLACEHOLDER = /\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}/g;

/** True when the value holds anything that looks like a placeholder. */
export function hasPlaceholder(value: string): boolean {
  return value.includes('${') && new RegExp(PLACEHOLDER.source).test(value);
}

/**
 * A copy with every placeholder replaced whose provider and key exist; the others stay as they are. One `get` per provider and path.
 * Rejects when a provider fails.
 */
export async function resolvePlaceholders<T extends string | null>(
  settings: Readonly<Record<string, T>>,
  providers: ReadonlyMap<string, ConfigProvider>,
  expires: Expires = () => undefined,
): Promise<Record<string, T>> {
  const wanted = wantedKeys(Object.values(settings), providers);
  if (wanted.size === 0) return { ...settings };
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, paths] of wanted) {
    const provider = providers.get(name) as ConfigProvider;
    for (const [path, keys] of paths) found.set(place(name, path), await provider.get(path, keys));
    if (provider.ttlMs !== undefined) expires(provider.ttlMs);
  }
  const replace = (value: string): string =>
    value.replace(
      PLACEHOLDER,
      (text, name: string, _, path: string | undefined, key: string) =>
        found.get(place(name, path ?? ''))?.get(key) ?? text,
    );
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, value === null ? value : (replace(value) as T)]),
  );
}

type Wanted = Map<string, Map<string, Set<string>>>;

function wantedKeys(values: readonly (string | null)[], providers: ReadonlyMap<string, ConfigProvider>): Wanted {
  const wanted: Wanted = new Map();
  for (const value of values) {
    if (value === null || !value.includes('${')) continue;
    for (const [, name = '', , path = '', key = ''] of value.matchAll(PLACEHOLDER)) {
      if (!providers.has(name)) continue;
      const paths = wanted.get(name) ?? new Map<string, Set<string>>();
      wanted.set(name, paths.set(path, (paths.get(path) ?? new Set()).add(key)));
    }
  }
  return wanted;
}

function place(name: string, path: string): string {
  return `${name}\0${path}`;
}
