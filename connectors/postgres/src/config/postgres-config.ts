/** The configuration as the rest of the connector reads it. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import type { ValueOptions } from '../values/value-type';
import { checkConfig } from './check';
import { DEFINITIONS } from './definitions';
import { PatternList, splitList } from './patterns';
import { withoutSalt } from './problem';

export type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
export type SnapshotMode = 'initial' | 'initial_only' | 'no_data' | 'always' | 'when_needed';
export type PublicationMode = 'all_tables' | 'filtered' | 'disabled' | 'no_tables';
export type NameAdjustment = 'none' | 'avro' | 'avro_unicode';
export type Operation = 'c' | 'u' | 'd' | 't';

export interface ConnectionConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslMode: SslMode;
  readonly sslRootCert: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
  readonly sslPassword: string | null;
  readonly initialStatements: readonly string[];
  readonly keepAlive: boolean;
  readonly queryTimeoutMs: number;
  readonly validationTimeoutMs: number;
}

export interface FilterConfig {
  readonly schemaInclude: PatternList | null;
  readonly schemaExclude: PatternList | null;
  readonly tableInclude: PatternList | null;
  readonly tableExclude: PatternList | null;
  readonly columnInclude: PatternList | null;
  readonly columnExclude: PatternList | null;
  readonly ignoreBuiltin: boolean;
}

export interface KeyColumns {
  readonly table: PatternList;
  readonly columns: readonly string[];
}

export interface PostgresConfig {
  readonly prefix: string;
  readonly connection: ConnectionConfig;
  readonly slot: {
    readonly name: string;
    readonly dropOnStop: boolean;
    readonly failover: boolean;
    readonly streamParams: readonly (readonly [string, string])[];
    readonly maxRetries: number;
    readonly retryDelayMs: number;
    readonly createTimeoutSeconds: number;
    readonly statusIntervalMs: number;
    /** False with `lsn.flush.mode=manual`. */
    readonly flush: boolean;
    readonly checkPosition: boolean;
    /**
     * `offset.mismatch.strategy=trust_greater_lsn`: goes on where the slot is when that is behind the stored position.
     */
    readonly trustGreater: boolean;
  };
  readonly publication: {
    readonly name: string;
    readonly mode: PublicationMode;
    readonly viaPartitionRoot: boolean;
  };
  readonly snapshot: {
    readonly mode: SnapshotMode;
    readonly isolation: string;
    readonly include: PatternList | null;
    /** `schema.table` → SELECT. */
    readonly overrides: ReadonlyMap<string, string>;
    readonly fetchSize: number;
    readonly delayMs: number;
  };
  readonly filters: FilterConfig;
  readonly keyColumns: readonly KeyColumns[];
  readonly skipped: ReadonlySet<Operation>;
  readonly values: Omit<ValueOptions, 'currencyDigits'>;
  readonly events: {
    readonly tombstones: boolean;
    /** Updates that change nothing of what is emitted are left out. */
    readonly skipUnchanged: boolean;
    readonly schemaNames: NameAdjustment;
    readonly fieldNames: NameAdjustment;
    readonly headers: boolean;
    readonly delimiter: string;
    readonly sourceVersion: string;
    readonly incompleteKey: 'fail' | 'warn' | 'debezium';
  };
  readonly heartbeat: { readonly intervalMs: number; readonly actionQuery: string | null; readonly topic: string };
  readonly queue: {
    readonly maxBatch: number;
    readonly maxMessages: number;
    /** Infinity for no limit. */
    readonly maxBytes: number;
    readonly pollIntervalMs: number;
  };
  /** Infinity for no limit. */
  readonly maxRetries: number;
  readonly firstRetryMs: number;
  readonly warnings: readonly string[];
}

const DEFAULTS = new Map(DEFINITIONS.map((definition) => [definition.name, definition.default]));

/** Throws ConfigError with the first problem found. */
export function parseConfig(config: ConnectorConfig): PostgresConfig {
  const checked = checkConfig(config);
  const problem = checked.problems[0];
  if (problem) throw new ConfigError(problem.message, { code: 'PG_CONFIG', place: { key: withoutSalt(problem.key) } });
  return read(checked.values, checked.warnings);
}

function read(values: ConnectorConfig, warnings: readonly string[]): PostgresConfig {
  const text = (name: string): string | null => {
    const value = values[name]?.trim();
    if (value !== undefined && value !== '') return value;
    const fallback = DEFAULTS.get(name);
    return fallback == null ? null : String(fallback);
  };
  const must = (name: string): string => text(name) as string;
  const number = (name: string): number => Number(must(name));
  const flag = (name: string): boolean => must(name).toLowerCase() === 'true';
  const choice = <T extends string>(name: string): T => must(name).toLowerCase() as T;
  const patterns = (name: string): PatternList | null => {
    const value = text(name);
    return value === null ? null : PatternList.parse(value);
  };
  const secret = (name: string): string | null => values[name] ?? null;
  const prefix = must('topic.prefix');
  const skipped = splitList(must('skipped.operations')).filter((one) => one !== 'none') as Operation[];
  const maxBytes = number('max.queue.size.in.bytes');
  const retries = number('errors.max.retries');
  return {
    prefix,
    connection: {
      host: must('database.hostname').replace(/^\[(.*)\]$/, '$1'),
      port: number('database.port'),
      user: must('database.user'),
      password: secret('database.password') ?? '',
      database: must('database.dbname'),
      sslMode: choice<SslMode>('database.sslmode'),
      sslRootCert: text('database.sslrootcert'),
      sslCert: text('database.sslcert'),
      sslKey: text('database.sslkey'),
      sslPassword: secret('database.sslpassword'),
      initialStatements: splitStatements(text('database.initial.statements') ?? ''),
      keepAlive: flag('database.tcpKeepAlive'),
      queryTimeoutMs: number('database.query.timeout.ms'),
      validationTimeoutMs: number('connection.validation.timeout.ms'),
    },
    slot: {
      name: must('slot.name'),
      dropOnStop: flag('slot.drop.on.stop'),
      failover: flag('slot.failover'),
      streamParams: pairs(text('slot.stream.params') ?? ''),
      maxRetries: number('slot.max.retries'),
      retryDelayMs: number('slot.retry.delay.ms'),
      createTimeoutSeconds: number('internal.create.slot.command.timeout'),
      statusIntervalMs: number('status.update.interval.ms'),
      flush: choice('lsn.flush.mode') !== 'manual',
      checkPosition: flag('internal.log.position.check.enable'),
      trustGreater: choice('offset.mismatch.strategy') === 'trust_greater_lsn',
    },
    publication: {
      name: must('publication.name'),
      mode: choice<PublicationMode>('publication.autocreate.mode'),
      viaPartitionRoot: flag('publish.via.partition.root'),
    },
    snapshot: {
      mode: choice<SnapshotMode>('snapshot.mode'),
      isolation: choice('snapshot.isolation.mode'),
      include: patterns('snapshot.include.collection.list'),
      overrides: overrides(values),
      fetchSize: number('snapshot.fetch.size'),
      delayMs: number('snapshot.delay.ms'),
    },
    filters: {
      schemaInclude: patterns('schema.include.list'),
      schemaExclude: patterns('schema.exclude.list'),
      tableInclude: patterns('table.include.list'),
      tableExclude: patterns('table.exclude.list'),
      columnInclude: patterns('column.include.list'),
      columnExclude: patterns('column.exclude.list'),
      ignoreBuiltin: flag('table.ignore.builtin'),
    },
    keyColumns: keyColumns(text('message.key.columns') ?? ''),
    skipped: new Set(skipped),
    values: {
      decimals: choice('decimal.handling.mode'),
      moneyFractionDigits: number('money.fraction.digits'),
      time: choice('time.precision.mode'),
      interval: choice('interval.handling.mode'),
      hstore: choice('hstore.handling.mode'),
      binary: choice('binary.handling.mode'),
      includeUnknown: flag('include.unknown.datatypes'),
      placeholder: placeholder(must('unavailable.value.placeholder')),
    },
    events: {
      tombstones: flag('tombstones.on.delete'),
      skipUnchanged: flag('skip.messages.without.change'),
      schemaNames: choice('schema.name.adjustment.mode'),
      fieldNames: choice('field.name.adjustment.mode'),
      headers: flag('extended.headers.enabled'),
      delimiter: must('topic.delimiter'),
      sourceVersion: must('event.source.version'),
      incompleteKey: choice('event.incomplete.key.handling'),
    },
    heartbeat: {
      intervalMs: number('heartbeat.interval.ms'),
      actionQuery: text('heartbeat.action.query'),
      topic: `${must('topic.heartbeat.prefix')}.${prefix}`,
    },
    queue: {
      maxBatch: number('max.batch.size'),
      maxMessages: number('max.queue.size'),
      maxBytes: maxBytes === 0 ? Infinity : maxBytes,
      pollIntervalMs: number('poll.interval.ms'),
    },
    maxRetries: retries < 0 ? Infinity : retries,
    firstRetryMs: Math.min(number('retriable.restart.connector.wait.ms'), 1000),
    warnings,
  };
}

/** `;` separates, `;;` is a semicolon. */
function splitStatements(text: string): string[] {
  return text
    .split(/(?<!;);(?!;)/)
    .map((part) => part.replaceAll(';;', ';').trim())
    .filter((part) => part !== '');
}

function pairs(text: string): [string, string][] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    });
}

function overrides(values: ConnectorConfig): Map<string, string> {
  const found = new Map<string, string>();
  for (const table of splitList(values['snapshot.select.statement.overrides'] ?? '')) {
    const statement = values[`snapshot.select.statement.overrides.${table}`];
    if (statement !== undefined) found.set(table.replaceAll('"', ''), statement);
  }
  return found;
}

function keyColumns(text: string): KeyColumns[] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.indexOf(':');
      return {
        table: new PatternList([part.slice(0, at).trim()]),
        columns: part
          .slice(at + 1)
          .split(',')
          .map((column) => column.trim()),
      };
    });
}

function placeholder(text: string): Buffer {
  return text.startsWith('hex:') ? Buffer.from(text.slice(4), 'hex') : Buffer.from(text, 'utf8');
}
