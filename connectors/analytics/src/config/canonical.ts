/** Maps the vendor's key names and older spellings to the neutral ones. Sources: analytics-sink §1.1, §1.3. */
import type { ConfigProblem, ConnectorConfig } from '@millrace/sdk';
import { DEFINITIONS, KEY } from './definitions';

/** Names of versions before 1.0, and the 1.x name of the ingestion URL. */
const OLDER: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'analytics.url': KEY.ingestionUrl,
    'analytics.tables.topics_mapping': KEY.topicsMapping,
    'analytics.auth.appid': KEY.authAppId,
    'analytics.auth.appkey': KEY.authAppKey,
    'analytics.auth.authority': KEY.authAuthority,
    'analytics.sink.tempdir': KEY.tempDirPath,
    'analytics.sink.flush_size': KEY.flushSizeBytes,
    'analytics.sink.flush_interval_ms': KEY.flushIntervalMs,
  }),
);

interface Canonical {
  /** By neutral name. */
  readonly values: Readonly<Record<string, string>>;
  /** Neutral name → the name in the user's configuration. */
  readonly given: ReadonlyMap<string, string>;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
}

/** `kusto.x` → `analytics.x`, `aad.x` → `idp.x`. */
function neutral(key: string): string {
  return key.replace(/^kusto\./, 'analytics.').replace(/^aad\./, 'idp.');
}

/** Whether the key is a name of versions before 1.0, in either spelling. */
export function isOlder(key: string): boolean {
  const plain = neutral(key);
  return OLDER.has(plain) && plain !== 'analytics.url';
}

/** Aliases and older names → neutral names. */
export function otherNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const vendor = (key: string): string => key.replace(/^analytics\./, 'kusto.').replace(/^idp\./, 'aad.');
  for (const { name } of DEFINITIONS) if (vendor(name) !== name) names.set(vendor(name), name);
  for (const [old, current] of OLDER) {
    names.set(old, current);
    names.set(vendor(old), current);
  }
  return names;
}

export function canonicalConfig(config: ConnectorConfig): Canonical {
  const values: Record<string, string> = {};
  const given = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(config)) {
    const plain = neutral(key);
    const name = OLDER.get(plain) ?? plain;
    if (isOlder(key)) warnings.push(`${key} is an older name of ${name}`);
    const before = given.get(name);
    if (before !== undefined && values[name] !== value) {
      const [first, second] = neutral(before) === before ? [before, key] : [key, before];
      problems.push({ key, message: `Both ${first} and ${second} are set, to different values` });
    }
    if (before !== undefined && key !== name) continue;
    values[name] = value;
    given.set(name, key);
  }
  for (const key of ['analytics.auth.username', 'analytics.auth.password'])
    if (values[key] !== undefined)
      problems.push({ key: given.get(key) ?? key, message: 'User name and password authentication is not supported' });
  return { values, given, problems, warnings };
}
