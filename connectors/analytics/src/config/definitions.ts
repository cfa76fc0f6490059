/** Every key of the sink, a row each: name, type, default, importance, text. Sources: analytics-sink §1.2, §1.7. */
import type { ConfigKey } from '@millrace/sdk';

const GROUP = {
  connection: 'Connection',
  login: 'Login',
  mapping: 'Mapping',
  files: 'Files',
  errors: 'Errors',
};

/** A key, and a check of values that have the right type, which returns the problem or null. */
export interface Definition extends Omit<ConfigKey, 'validator' | 'default'> {
  readonly default: string | number | boolean | null;
  readonly required?: boolean;
  readonly constraint?: (value: string | number | boolean) => string | null;
}

function atLeast(smallest: number): (value: string | number | boolean) => string | null {
  return (value) => (Number(value) >= smallest ? null : `Value must be at least ${smallest}`);
}

/** A GUID or a domain name, which becomes part of URLs and commands. */
function identifier(value: string | number | boolean): string | null {
  return /^[A-Za-z0-9][\w.-]{0,253}$/.test(String(value))
    ? null
    : 'Only alphanumeric characters, underscores, hyphens, and dots are allowed';
}

/** Any case; the Java sink accepts only all-upper and all-lower. An empty value stands for the default. */
function oneOf<T extends string>(...allowed: readonly T[]) {
  const lower = allowed.map((text) => text.toLowerCase() as Lowercase<T>);
  return {
    constraint: (value: string | number | boolean) =>
      (lower as readonly string[]).includes(String(value).toLowerCase())
        ? null
        : `String must be one of: ${[...new Set([...allowed, ...lower])].join(', ')}`,
    accepts: { values: [...lower, ''] as const, anyCase: true },
  };
}

export const METADATA_COLUMNS = ['key', 'headers', 'topic', 'partition', 'offset', 'timestamp'] as const;

const ROWS = {
  ingestionUrl: {
    name: 'analytics.ingestion.url',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.connection,
    documentation:
      'URL of the cluster’s ingestion endpoint, whose host begins with `ingest-`. Derived from `analytics.query.url` when absent.',
    requiredUnless: ['analytics.query.url'],
  },
  queryUrl: {
    name: 'analytics.query.url',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'URL of the cluster’s query endpoint. Derived from the ingestion URL when absent.',
  },
  proxyHost: {
    name: 'proxy.host',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'Host of an HTTP proxy for the cluster and its storage. Only HTTPS goes through it.',
  },
  proxyPort: {
    name: 'proxy.port',
    type: 'INT',
    default: -1,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'Port of the HTTP proxy; used with `proxy.host`.',
  },
  authStrategy: {
    name: 'idp.auth.strategy',
    type: 'STRING',
    default: 'APPLICATION',
    importance: 'HIGH',
    group: GROUP.login,
    documentation:
      'How the sink logs in: `application` by tenant, id and secret; `managed_identity` as the machine it runs on; `workload_identity` by the worker’s environment variables; `az_dev_token` by a given token, for development; `none` for an emulator on this machine.',
    ...oneOf('APPLICATION', 'MANAGED_IDENTITY', 'WORKLOAD_IDENTITY', 'AZ_DEV_TOKEN', 'NONE'),
  },
  authAuthority: {
    name: 'idp.auth.authority',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation: 'Tenant id. Needed by the strategy `application`.',
    constraint: identifier,
  },
  authAppId: {
    name: 'idp.auth.appid',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation:
      'Application (client) id. Needed by the strategy `application`; with `managed_identity` it names one of several identities.',
    constraint: identifier,
  },
  authAppKey: {
    name: 'idp.auth.appkey',
    type: 'PASSWORD',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation: 'Secret of the application. Needed by the strategy `application`.',
  },
  authAccessToken: {
    name: 'idp.auth.accesstoken',
    type: 'PASSWORD',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'Bearer token of the strategy `az_dev_token`.',
    constraint: (value) => (/^[!-~]+$/.test(String(value)) ? null : 'A token has no spaces, line breaks or accents'),
  },
  authEndpoint: {
    name: 'idp.auth.endpoint',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'URL of the identity provider. By default, the one that the cluster names.',
  },
  authScope: {
    name: 'idp.auth.scope',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'Scope of the token. By default, the one that the cluster names.',
  },
  topicsMapping: {
    name: 'analytics.tables.topics.mapping',
    type: 'STRING',
    default: null,
    required: true,
    importance: 'HIGH',
    group: GROUP.mapping,
    documentation:
      'JSON list that maps each topic to a table: `topic` (or `*`), `db`, `table`, `format`, `mapping`, `streaming`. Single quotes are accepted.',
  },
  validationTableEnable: {
    name: 'analytics.validation.table.enable',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    group: GROUP.mapping,
    documentation: 'Whether tables, mappings and rights are checked before the task runs.',
  },
  metadataColumns: {
    name: 'analytics.metadata.columns',
    type: 'STRING',
    default: '',
    importance: 'LOW',
    group: GROUP.mapping,
    documentation: `Metadata to add to each row of text formats, separated by commas: ${METADATA_COLUMNS.join(', ')}.`,
    constraint: (value) => {
      const unknown = listOf(String(value)).find((name) => !(METADATA_COLUMNS as readonly string[]).includes(name));
      return unknown === undefined ? null : `'${unknown}' is not one of ${METADATA_COLUMNS.join(', ')}`;
    },
  },
  validateJson: {
    name: 'analytics.validate.json',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    group: GROUP.mapping,
    documentation:
      'Whether each text record of a JSON format is parsed before it is written. One malformed record makes the service reject the whole file.',
  },
  tempDirPath: {
    name: 'tempdir.path',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Folder for staged files. By default, the system’s folder for temporary files.',
  },
  flushSizeBytes: {
    name: 'flush.size.bytes',
    type: 'LONG',
    default: 1_048_576,
    importance: 'MEDIUM',
    group: GROUP.files,
    documentation: 'A file is shipped when it reaches this size, in bytes before compression.',
    constraint: atLeast(100),
  },
  flushIntervalMs: {
    name: 'flush.interval.ms',
    type: 'LONG',
    default: 30_000,
    importance: 'HIGH',
    group: GROUP.files,
    documentation: 'A file is shipped at most this long after its first record, in milliseconds.',
    constraint: atLeast(100),
  },
  maxInflightFiles: {
    name: 'analytics.max.inflight.files',
    type: 'INT',
    default: 4,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Files of a partition in flight at which the partition is paused.',
    constraint: atLeast(1),
  },
  rebalanceFlushTimeoutMs: {
    name: 'analytics.rebalance.flush.timeout.ms',
    type: 'LONG',
    default: 0,
    importance: 'LOW',
    group: GROUP.files,
    documentation:
      'Time to deliver the files of partitions that are being revoked, in milliseconds. 0: they are discarded, and the next owner delivers the records.',
    constraint: atLeast(0),
  },
  blobRetain: {
    name: 'analytics.blob.retain',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Whether the service keeps a file in its storage after loading it.',
  },
  dedupeTags: {
    name: 'analytics.dedupe.tags',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Whether each file has a tag of its offsets, so that the service loads the same file only once.',
  },
  ingestProtocol: {
    name: 'analytics.ingest.protocol',
    type: 'STRING',
    default: 'queue',
    importance: 'LOW',
    group: GROUP.files,
    documentation:
      'How files are passed to the service: `queue` by its queues, `rest` by its REST API for queued ingestion, which is in preview.',
    ...oneOf('queue', 'rest'),
  },
  ingestConfirm: {
    name: 'analytics.ingest.confirm',
    type: 'STRING',
    default: 'queued',
    importance: 'MEDIUM',
    group: GROUP.errors,
    documentation:
      'When a file counts as delivered: `queued` when the service has accepted it, `ingested` (or `true`) when its rows are in the table. With `queued`, the service’s own failures appear only in its failure list.',
    ...oneOf('queued', 'ingested', 'true', 'false'),
  },
  ingestConfirmTimeoutMs: {
    name: 'analytics.ingest.confirm.timeout.ms',
    type: 'LONG',
    default: 900_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'With `analytics.ingest.confirm=ingested`: timeout for the rows to appear, in milliseconds.',
    constraint: atLeast(1),
  },
  onError: {
    name: 'behavior.on.error',
    type: 'STRING',
    default: 'FAIL',
    importance: 'LOW',
    group: GROUP.errors,
    documentation:
      'How to handle records and files that cannot be delivered: `fail` fails the task; `log` and `ignore` continue without them, after sending them to the dead letter queue if there is one.',
    ...oneOf('FAIL', 'LOG', 'IGNORE'),
  },
  errorsRetryMaxTimeMs: {
    name: 'errors.retry.max.time.ms',
    type: 'LONG',
    default: 300_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'How long a file is retried after its first failure, in milliseconds. 0: no retries.',
    constraint: atLeast(0),
  },
  errorsRetryBackoffTimeMs: {
    name: 'errors.retry.backoff.time.ms',
    type: 'LONG',
    default: 10_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Wait between two attempts, in milliseconds.',
    constraint: atLeast(1),
  },
  errorsRetryBackoffMultiplier: {
    name: 'errors.retry.backoff.multiplier',
    type: 'DOUBLE',
    default: 1,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Factor by which the wait grows with every attempt.',
    constraint: atLeast(1),
  },
  deadLettersBootstrapServers: {
    name: 'misc.deadletterqueue.bootstrap.servers',
    type: 'STRING',
    default: '',
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Kafka for records that could not be delivered; other keys with this prefix configure its producer.',
  },
  deadLettersTopicName: {
    name: 'misc.deadletterqueue.topic.name',
    type: 'STRING',
    default: '',
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Topic for records that could not be delivered.',
  },
} as const satisfies Readonly<Record<string, Definition>>;

type Rows = typeof ROWS;
export type Field = keyof Rows;

export const DEFINITIONS: readonly Definition[] = Object.values(ROWS);

/** Names of the settings, for checks and readers. Error texts spell them out, so that a search finds them. */
export const KEY = Object.fromEntries(Object.entries(ROWS).map(([field, { name }]) => [field, name])) as {
  readonly [F in Field]: Rows[F]['name'];
};

interface TypeOf {
  readonly BOOLEAN: boolean;
  readonly INT: number;
  readonly LONG: number;
  readonly DOUBLE: number;
  readonly STRING: string;
  readonly PASSWORD: string;
}

/** The type of a setting's value, inferred from its row. */
type ValueOf<F extends Field> = Rows[F] extends { readonly accepts: { readonly values: readonly (infer V)[] } }
  ? Exclude<V, ''>
  : TypeOf[Rows[F]['type']];

/** @param values the valid ones. A text without a value and a default is empty; choices are in lower case. */
export function readValue<F extends Field>(field: F, values: ReadonlyMap<string, Definition['default']>): ValueOf<F> {
  const { name, type, accepts }: Definition = ROWS[field];
  const value = values.get(name) ?? null;
  if (type !== 'STRING' && type !== 'PASSWORD') return value as ValueOf<F>;
  const text = String(value ?? '');
  return (accepts ? text.toLowerCase() : text) as ValueOf<F>;
}

/** Prefix of the dead letter queue's keys. Those without a definition configure its producer. */
export const DEAD_LETTERS_PREFIX = 'misc.deadletterqueue.';

/** Settings of the worker, not of a connector. */
export const WORKER_KEY = {
  trustedHosts: 'analytics.trusted.hosts',
  allowInsecureEndpoints: 'analytics.allow.insecure.endpoints',
} as const;

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
