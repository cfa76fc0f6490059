/**
 * Finds and replaces `${provider:path:key}` and `${provider:key}`. Results are not scanned again. Source:
 * connect-runtime §8.2.
 */
import { addProvidedValue, type Owner } from '@millrace/texts/redaction';
import type { ConfigProvider, Expires } from './provider';

export interface ResolveOptions {
  /** Whose config it is: the values are hidden in log lines and traces of that owner. (Default: not hidden) */
  readonly owner?: Owner;
  readonly expires?: Expires;
}

interface Placeholder {
  readonly start: number;
  /** After the closing brace. */
  readonly end: number;
  readonly provider: string;
  readonly path: string;
  readonly key: string;
}

/**
 * Finds what Java finds by `\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}`, but in linear time: the expression needs cubic time
 * for values such as `${${${…`.
 */
function* placeholdersOf(value: string): Generator<Placeholder> {
  for (let start = value.indexOf('${'); start !== -1; start = value.indexOf('${', start)) {
    const brace = value.indexOf('}', start + 2);
    if (brace === -1) return;
    const body = value.slice(start + 2, brace);
    const first = body.indexOf(':');
    if (first !== -1) {
      const second = body.indexOf(':', first + 1);
      yield {
        start,
        end: brace + 1,
        provider: body.slice(0, first),
        path: second === -1 ? '' : body.slice(first + 1, second),
        key: body.slice((second === -1 ? first : second) + 1),
      };
    }
    // If the body has no colon, no placeholder starts inside it.
    start = brace + 1;
  }
}

/** Whether the value contains anything that looks like a placeholder. */
export function hasPlaceholder(value: string): boolean {
  return placeholdersOf(value).next().done !== true;
}

/**
 * Returns a copy in which placeholders are replaced if their provider and key exist. Calls `get` once per provider and
 * path. Rejects when a provider fails.
 */
export async function resolvePlaceholders<T extends string | null>(
  settings: Readonly<Record<string, T>>,
  providers: ReadonlyMap<string, ConfigProvider>,
  { owner, expires = () => undefined }: ResolveOptions = {},
): Promise<Record<string, T>> {
  const wanted = wantedKeys(Object.values(settings), providers);
  if (wanted.size === 0) return { ...settings };
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, paths] of wanted) {
    const provider = providers.get(name) as ConfigProvider;
    for (const [path, keys] of paths) found.set(place(name, path), await provider.get(path, keys, expires));
  }
  const replace = (value: string): string => {
    let replaced = '';
    let done = 0;
    for (const { start, end, provider, path, key } of placeholdersOf(value)) {
      const placeholder = value.slice(start, end);
      const given = found.get(place(provider, path))?.get(key);
      if (given !== undefined && owner !== undefined) addProvidedValue(given, placeholder, owner);
      replaced += value.slice(done, start) + (given ?? placeholder);
      done = end;
    }
    return replaced + value.slice(done);
  };
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, value === null ? value : (replace(value) as T)]),
  );
}

/** The providers, of those that are given, that the value has placeholders of. */
export function providersIn(value: string, names: { has(name: string): boolean }): readonly string[] {
  return [...placeholdersOf(value)].flatMap(({ provider }) => (names.has(provider) ? [provider] : []));
}

type Wanted = Map<string, Map<string, Set<string>>>;

function wantedKeys(values: readonly (string | null)[], providers: ReadonlyMap<string, ConfigProvider>): Wanted {
  const wanted: Wanted = new Map();
  for (const value of values) {
    if (value === null) continue;
    for (const { provider, path, key } of placeholdersOf(value)) {
      if (!providers.has(provider)) continue;
      const paths = wanted.get(provider) ?? new Map<string, Set<string>>();
      wanted.set(provider, paths.set(path, (paths.get(path) ?? new Set()).add(key)));
    }
  }
  return wanted;
}

function place(name: string, path: string): string {
  return `${name}\0${path}`;
}
