/**
 * Maps deprecated and tolerated key names to current ones, so that the rest of the connector knows only those
 * (cdc-postgres §1.2).
 */
import { nearestName, type ConfigProblem, type ConfigWarning, type ConnectorConfig } from '@millrace/sdk';
import { columnConverters } from './column-converter-config';
import { DEFINITIONS, KEY, type Key } from './definitions';
import { splitList } from './patterns';
import { invalid, withoutSalt } from './problem';
import { overrideWarnings } from './snapshot-config';
import { isUnsupported, isWithoutEffect } from './unsupported';

/** Old name → current name (§1.2). */
export const LEGACY_NAMES: Readonly<Record<string, Key>> = {
  'database.server.name': KEY.topicPrefix,
  'table.whitelist': KEY.tableIncludeList,
  'table.blacklist': KEY.tableExcludeList,
  'schema.whitelist': KEY.schemaIncludeList,
  'schema.blacklist': KEY.schemaExcludeList,
  'column.whitelist': KEY.columnIncludeList,
  'column.blacklist': KEY.columnExcludeList,
  'toasted.value.placeholder': KEY.unavailableValuePlaceholder,
  'heartbeat.topics.prefix': KEY.topicHeartbeatPrefix,
  'sanitize.field.names': KEY.fieldNameAdjustmentMode,
  'slot.drop_on_stop': KEY.slotDropOnStop,
  'flush.lsn.source': KEY.lsnFlushMode,
};

/** Alternative names that are accepted without a deprecation warning (§1.3, §1.7). */
export const TOLERATED_NAMES: Readonly<Record<string, Key>> = {
  sslmode: KEY.databaseSslmode,
  sslrootcert: KEY.databaseSslrootcert,
  sslcert: KEY.databaseSslcert,
  sslkey: KEY.databaseSslkey,
  sslpassword: KEY.databaseSslpassword,
  'driver.tcpKeepAlive': KEY.databaseTcpKeepAlive,
  'driver.connectTimeout': KEY.databaseConnectTimeout,
  'driver.loginTimeout': KEY.databaseLoginTimeout,
  'driver.socketTimeout': KEY.databaseSocketTimeout,
};

export interface CanonicalConfig {
  /** By current names only, with legacy enumeration values replaced. */
  readonly values: ConnectorConfig;
  /** Current name → name in the connector config. */
  readonly given: ReadonlyMap<string, string>;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigWarning[];
}

/** Legacy values (§1.2). */
export const LEGACY_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [KEY.snapshotMode]: { never: 'no_data', exported: 'initial' },
  [KEY.fieldNameAdjustmentMode]: { true: 'avro', false: 'none' },
  [KEY.lsnFlushMode]: { true: 'connector', false: 'manual' },
};

export function canonical(config: ConnectorConfig): CanonicalConfig {
  const values: Record<string, string> = { ...config };
  const given = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  const warnings: ConfigWarning[] = [];
  for (const [names, deprecated] of [
    [LEGACY_NAMES, true],
    [TOLERATED_NAMES, false],
  ] as const) {
    for (const [old, current] of Object.entries(names)) {
      const value = config[old];
      if (value === undefined) continue;
      delete values[old];
      const other = config[current];
      if (other === undefined) {
        values[current] = value;
        given.set(current, old);
      } else if (currentValue(current, other) !== currentValue(current, value)) {
        // Documents of users often keep both, with other values; a typing error in TLS settings must not pass.
        if (!deprecated) problems.push(invalid(old, `"${current}" is already specified`));
        else {
          warnings.push({
            key: old,
            message: `The configuration key "${old}" has no effect, because "${current}" is set to another value.`,
            meant: null,
          });
          continue;
        }
      }
      const message = `The configuration key "${old}" is deprecated, use "${current}".`;
      if (deprecated) warnings.push({ key: old, message, meant: current, replaced: true });
    }
  }
  for (const name of Object.keys(LEGACY_VALUES)) {
    const value = values[name];
    if (value !== undefined) values[name] = currentValue(name, value);
  }
  warnings.push(...unknownKeys(config), ...overrideWarnings(config));
  return { values, given, problems, warnings };
}

function currentValue(name: string, value: string): string {
  const replacements = LEGACY_VALUES[name] ?? {};
  const legacy = value.trim().toLowerCase();
  return Object.hasOwn(replacements, legacy) ? (replacements[legacy] as string) : value;
}

const KNOWN = [
  ...DEFINITIONS.map((definition) => definition.name),
  ...Object.keys(LEGACY_NAMES),
  ...Object.keys(TOLERATED_NAMES),
];
/** Keys of the runtime, and families of keys. */
const FOREIGN =
  /^(name|connector\.|tasks?\.|key\.|value\.|header\.|transforms|predicates|errors\.|watchdog\.|config\.|producer\.|consumer\.|admin\.|topic\.creation\.|exactly\.|transaction\.|offsets?\.|column\.(?:mask|truncate)\.|snapshot\.select\.statement\.overrides\.|signal\.consumer\.)/;

function unknownKeys(config: ConnectorConfig): ConfigWarning[] {
  const warnings: ConfigWarning[] = [];
  const processors = splitList(config[KEY.postProcessors] ?? '');
  const aliases = [...columnConverters(config).map(({ alias }) => alias), ...processors].map((alias) => `${alias}.`);
  for (const name of Object.keys(config)) {
    if (KNOWN.includes(name) || aliases.some((prefix) => name.startsWith(prefix))) continue;
    if (isWithoutEffect(name, config))
      warnings.push({
        key: name,
        message: `The configuration key "${name}" is not supported by this version and has no effect.`,
        meant: null,
      });
    if (isUnsupported(name) || FOREIGN.test(name)) continue;
    const meant = nearestName(name, KNOWN);
    const rest = meant === null ? ' and has no effect.' : `; did you mean "${meant}"?`;
    const key = withoutSalt(name);
    warnings.push({ key, message: `The configuration key "${key}" is unknown${rest}`, meant });
  }
  return warnings;
}
