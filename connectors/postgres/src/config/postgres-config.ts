/** The parsed connector config. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import type { ValueOptions } from '../values/value-type';
import { checkConfig } from './check';
import { readEventConfig, type EventConfig } from './event-config';
import { KEY, type ValueOf } from './definitions';
import { readSnapshotConfig, type SnapshotConfig } from './snapshot-config';
import { metricsConfig, type MetricsConfig } from './metrics-config';
import { notificationConfig, type NotificationConfig } from './notification-config';
import { reselectConfig, type ReselectConfig } from './reselect-config';
import { parallelConfig, type ParallelConfig, type SlotPart } from './parallel-config';
import { PatternList, splitList } from './patterns';
import { withoutSalt } from './problem';
import { replicaIdentities, type ReplicaIdentityRule } from './replica-identities';
import { readStreamConfig, type StreamConfig } from './stream-config';
import { incrementalConfig, signalConfig, type IncrementalConfig, type SignalConfig } from './signal-config';
import { readSettings, type Settings } from './settings';

type SslMode = ValueOf<'databaseSslmode'>;
type PublicationMode = ValueOf<'publicationAutocreateMode'>;
/** `plugin.name`. */
export type PluginName = ValueOf<'pluginName'>;
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
  /** Until the session is ready. Infinity: no limit. */
  readonly connectTimeoutMs: number;
  /** How long a query waits for bytes of the server; 0: without limit. */
  readonly socketTimeoutMs: number;
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
  /** Captured whatever the lists say. */
  readonly signalTable: string | null;
  /** Null: all tables, `schema.table`; else the tables of one slot of several. */
  readonly owns: ((table: string) => boolean) | null;
}

interface KeyColumns {
  readonly table: PatternList;
  readonly columns: readonly string[];
}

export interface PostgresConfig {
  readonly prefix: string;
  readonly connection: ConnectionConfig;
  readonly plugin: PluginName;
  /** `plugin.name` is set. */
  readonly pluginIsChosen: boolean;
  readonly slot: {
    readonly name: string;
    readonly dropOnStop: boolean;
    readonly failover: boolean;
    readonly streamParams: readonly (readonly [string, string])[];
    readonly maxRetries: number;
    readonly retryDelayMs: number;
    readonly createTimeoutSeconds: number;
    readonly statusIntervalMs: number;
    /** Silence after which the stream reconnects; 0: never. */
    readonly receiveTimeoutMs: number;
    /** False with `lsn.flush.mode=manual`. */
    readonly flush: boolean;
    readonly checkPosition: boolean;
    /** What applies when the position of the slot is not that of the stored offset. */
    readonly mismatch: ValueOf<'offsetMismatchStrategy'>;
    /** Each connection of the stream reads a temporary copy, called `name`, of this slot. Null: the slot itself. */
    readonly copyOf: string | null;
  };
  readonly metrics: MetricsConfig;
  readonly parallel: ParallelConfig;
  /** Which of several slots this config is for; null for the only one. See `slotPart`. */
  readonly part: SlotPart | null;
  readonly stream: StreamConfig;
  readonly publication: {
    readonly name: string;
    readonly mode: PublicationMode;
    readonly viaPartitionRoot: boolean;
    readonly checkIntervalMs: number;
  };
  readonly replicaIdentities: readonly ReplicaIdentityRule[];
  readonly snapshot: SnapshotConfig;
  readonly filters: FilterConfig;
  readonly keyColumns: readonly KeyColumns[];
  readonly skipped: ReadonlySet<Operation>;
  readonly values: Omit<ValueOptions, 'currencyDigits'>;
  readonly events: EventConfig;
  readonly heartbeat: { readonly intervalMs: number; readonly actionQuery: string | null; readonly topic: string };
  readonly notifications: NotificationConfig;
  /** Null: no columns are read again. */
  readonly reselect: ReselectConfig | null;
  readonly signals: SignalConfig;
  readonly incremental: IncrementalConfig;
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

/** Throws ConfigError with the first problem found. */
export function parseConfig(config: ConnectorConfig): PostgresConfig {
  const checked = checkConfig(config);
  const problem = checked.problems[0];
  if (problem) throw new ConfigError(problem.message, { code: 'PG_CONFIG', place: { key: withoutSalt(problem.key) } });
  const warnings = checked.warnings.map(({ message }) => message);
  return read(checked.values, warnings);
}

function read(values: ConnectorConfig, warnings: readonly string[]): PostgresConfig {
  const settings = readSettings(values);
  const { get, patterns, secret } = settings;
  const events = readEventConfig(settings, values);
  const prefix = get('topicPrefix');
  const skipped = splitList(get('skippedOperations')).filter((one) => one !== 'none') as Operation[];
  const maxBytes = get('maxQueueSizeInBytes');
  const retries = get('errorsMaxRetries');
  return {
    prefix,
    connection: {
      host: get('databaseHostname').replace(/^\[(.*)\]$/, '$1'),
      port: get('databasePort'),
      user: get('databaseUser'),
      password: secret(KEY.databasePassword) ?? '',
      database: get('databaseDbname'),
      sslMode: get('databaseSslmode'),
      sslRootCert: get('databaseSslrootcert'),
      sslCert: get('databaseSslcert'),
      sslKey: get('databaseSslkey'),
      sslPassword: secret(KEY.databaseSslpassword),
      initialStatements: splitStatements(get('databaseInitialStatements') ?? ''),
      keepAlive: get('databaseTcpKeepAlive'),
      connectTimeoutMs: shortest(get('databaseConnectTimeout'), get('databaseLoginTimeout')),
      socketTimeoutMs: get('databaseSocketTimeout') * 1000,
      queryTimeoutMs: get('databaseQueryTimeoutMs'),
      validationTimeoutMs: get('connectionValidationTimeoutMs'),
    },
    plugin: get('pluginName'),
    pluginIsChosen: (values[KEY.pluginName]?.trim() ?? '') !== '',
    slot: {
      name: get('slotName'),
      dropOnStop: get('slotDropOnStop'),
      failover: get('slotFailover'),
      streamParams: pairs(get('slotStreamParams') ?? ''),
      maxRetries: get('slotMaxRetries'),
      retryDelayMs: get('slotRetryDelayMs'),
      createTimeoutSeconds: get('internalCreateSlotCommandTimeout'),
      statusIntervalMs: get('statusUpdateIntervalMs'),
      receiveTimeoutMs: get('streamReceiveTimeoutMs'),
      flush: get('lsnFlushMode') !== 'manual',
      checkPosition: get('internalLogPositionCheckEnable'),
      mismatch: offsetMismatchStrategy(settings),
      copyOf: null,
    },
    metrics: metricsConfig(settings, values),
    parallel: parallelConfig(values),
    part: null,
    stream: readStreamConfig(settings),
    publication: {
      name: get('publicationName'),
      mode: get('publicationAutocreateMode'),
      viaPartitionRoot: get('publishViaPartitionRoot'),
      checkIntervalMs: get('publicationCheckIntervalMs'),
    },
    replicaIdentities: replicaIdentities(get('replicaIdentityAutosetValues')),
    snapshot: readSnapshotConfig(settings, values),
    filters: {
      schemaInclude: patterns('schemaIncludeList'),
      schemaExclude: patterns('schemaExcludeList'),
      tableInclude: patterns('tableIncludeList'),
      tableExclude: patterns('tableExcludeList'),
      columnInclude: patterns('columnIncludeList'),
      columnExclude: patterns('columnExcludeList'),
      ignoreBuiltin: get('tableIgnoreBuiltin'),
      signalTable: get('signalDataCollection'),
      owns: null,
    },
    keyColumns: keyColumns(get('messageKeyColumns') ?? ''),
    // Debezium 1.2 has no event for a truncate.
    skipped: new Set(events.format === '1.2' ? [...skipped, 't'] : skipped),
    values: {
      decimals: get('decimalHandlingMode'),
      moneyFractionDigits: get('moneyFractionDigits'),
      time: get('timePrecisionMode'),
      interval: get('intervalHandlingMode'),
      hstore: get('hstoreHandlingMode'),
      binary: get('binaryHandlingMode'),
      includeUnknown: get('includeUnknownDatatypes'),
      placeholder: placeholder(get('unavailableValuePlaceholder')),
    },
    events,
    heartbeat: {
      intervalMs: get('heartbeatIntervalMs'),
      actionQuery: get('heartbeatActionQuery'),
      topic: get('topicHeartbeatName') ?? `${get('topicHeartbeatPrefix')}.${prefix}`,
    },
    notifications: notificationConfig(values),
    reselect: reselectConfig(values),
    signals: signalConfig(settings, values, prefix),
    incremental: incrementalConfig(settings),
    queue: {
      maxBatch: get('maxBatchSize'),
      maxMessages: get('maxQueueSize'),
      maxBytes: maxBytes === 0 ? Infinity : maxBytes,
      pollIntervalMs: get('pollIntervalMs'),
    },
    maxRetries: retries < 0 ? Infinity : retries,
    firstRetryMs: Math.min(get('retriableRestartConnectorWaitMs'), 1000),
    warnings,
  };
}

/** `offset.mismatch.strategy`, or what its older name says. */
function offsetMismatchStrategy({ get, given }: Settings): ValueOf<'offsetMismatchStrategy'> {
  const isSought = get('internalSlotSeekToKnownOffsetOnStart');
  return given(KEY.offsetMismatchStrategy) === null && isSought ? 'trust_offset' : get('offsetMismatchStrategy');
}

/** @param seconds 0: no limit. @returns milliseconds */
function shortest(...seconds: readonly number[]): number {
  return Math.min(...seconds.map((limit) => (limit === 0 ? Infinity : limit * 1000)));
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
