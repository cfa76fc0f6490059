/** Every key of the sink: names, types, defaults, importance. Sources: analytics-sink §1.2, §1.7. */
import type { ConfigKey } from '@millrace/sdk';
import { KEY, type Key } from './keys';

const GROUP = {
  connection: 'Connection',
  login: 'Login',
  mapping: 'Mapping',
  files: 'Files',
  errors: 'Errors',
};

/** A key, and a check of values that have the right type, which returns the problem or null. */
export interface Definition extends Omit<ConfigKey, 'name' | 'validator' | 'default'> {
  readonly name: Key;
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
function oneOf(...allowed: readonly string[]): Pick<Definition, 'constraint' | 'accepts'> {
  const lower = allowed.map((text) => text.toLowerCase());
  return {
    constraint: (value) =>
      lower.includes(String(value).toLowerCase())
        ? null
        : `String must be one of: ${[...new Set([...allowed, ...lower])].join(', ')}`,
    accepts: { values: [...lower, ''], anyCase: true },
  };
}

export const METADATA_COLUMNS = ['key', 'headers', 'topic', 'partition', 'offset', 'timestamp'] as const;

export const DEFINITIONS: readonly Definition[] = [
  {
    name: KEY.ingestionUrl,
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.connection,
    documentation:
      'URL of the cluster’s ingestion endpoint, whose host begins with `ingest-`. Derived from `analytics.query.url` when absent.',
    requiredUnless: [KEY.queryUrl],
  },
  {
    name: KEY.queryUrl,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'URL of the cluster’s query endpoint. Derived from the ingestion URL when absent.',
  },
  {
    name: KEY.proxyHost,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'Host of an HTTP proxy for the cluster and its storage. Only HTTPS goes through it.',
  },
  {
    name: KEY.proxyPort,
    type: 'INT',
    default: -1,
    importance: 'LOW',
    group: GROUP.connection,
    documentation: 'Port of the HTTP proxy; used with `proxy.host`.',
  },
  {
    name: KEY.authStrategy,
    type: 'STRING',
    default: 'APPLICATION',
    importance: 'HIGH',
    group: GROUP.login,
    documentation:
      'How the sink logs in: `application` by tenant, id and secret; `managed_identity` as the machine it runs on; `workload_identity` by the worker’s environment variables; `az_dev_token` by a given token, for development; `none` for an emulator on this machine.',
    ...oneOf('APPLICATION', 'MANAGED_IDENTITY', 'WORKLOAD_IDENTITY', 'AZ_DEV_TOKEN', 'NONE'),
  },
  {
    name: KEY.authAuthority,
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation: 'Tenant id. Needed by the strategy `application`.',
    constraint: identifier,
  },
  {
    name: KEY.authAppId,
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation:
      'Application (client) id. Needed by the strategy `application`; with `managed_identity` it names one of several identities.',
    constraint: identifier,
  },
  {
    name: KEY.authAppKey,
    type: 'PASSWORD',
    default: null,
    importance: 'HIGH',
    group: GROUP.login,
    documentation: 'Secret of the application. Needed by the strategy `application`.',
  },
  {
    name: KEY.authAccessToken,
    type: 'PASSWORD',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'Bearer token of the strategy `az_dev_token`.',
    constraint: (value) => (/^[!-~]+$/.test(String(value)) ? null : 'A token has no spaces, line breaks or accents'),
  },
  {
    name: KEY.authEndpoint,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'URL of the identity provider. By default, the one that the cluster names.',
  },
  {
    name: KEY.authScope,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.login,
    documentation: 'Scope of the token. By default, the one that the cluster names.',
  },
  {
    name: KEY.topicsMapping,
    type: 'STRING',
    default: null,
    required: true,
    importance: 'HIGH',
    group: GROUP.mapping,
    documentation:
      'JSON list that maps each topic to a table: `topic` (or `*`), `db`, `table`, `format`, `mapping`, `streaming`. Single quotes are accepted.',
  },
  {
    name: KEY.validationTableEnable,
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    group: GROUP.mapping,
    documentation: 'Whether tables, mappings and rights are checked before the task runs.',
  },
  {
    name: KEY.metadataColumns,
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
  {
    name: KEY.validateJson,
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    group: GROUP.mapping,
    documentation:
      'Whether each text record of a JSON format is parsed before it is written. One malformed record makes the service reject the whole file.',
  },
  {
    name: KEY.tempDirPath,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Folder for staged files. By default, the system’s folder for temporary files.',
  },
  {
    name: KEY.flushSizeBytes,
    type: 'LONG',
    default: 1_048_576,
    importance: 'MEDIUM',
    group: GROUP.files,
    documentation: 'A file is shipped when it reaches this size, in bytes before compression.',
    constraint: atLeast(100),
  },
  {
    name: KEY.flushIntervalMs,
    type: 'LONG',
    default: 30_000,
    importance: 'HIGH',
    group: GROUP.files,
    documentation: 'A file is shipped at most this long after its first record, in milliseconds.',
    constraint: atLeast(100),
  },
  {
    name: KEY.maxInflightFiles,
    type: 'INT',
    default: 4,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Files of a partition in flight at which the partition is paused.',
    constraint: atLeast(1),
  },
  {
    name: KEY.rebalanceFlushTimeoutMs,
    type: 'LONG',
    default: 0,
    importance: 'LOW',
    group: GROUP.files,
    documentation:
      'Time to deliver the files of partitions that are being revoked, in milliseconds. 0: they are discarded, and the next owner delivers the records.',
    constraint: atLeast(0),
  },
  {
    name: KEY.blobRetain,
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Whether the service keeps a file in its storage after loading it.',
  },
  {
    name: KEY.dedupeTags,
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    group: GROUP.files,
    documentation: 'Whether each file has a tag of its offsets, so that the service loads the same file only once.',
  },
  {
    name: KEY.ingestProtocol,
    type: 'STRING',
    default: 'queue',
    importance: 'LOW',
    group: GROUP.files,
    documentation:
      'How files are passed to the service: `queue` by its queues, `rest` by its REST API for queued ingestion, which is in preview.',
    ...oneOf('queue', 'rest'),
  },
  {
    name: KEY.ingestConfirm,
    type: 'STRING',
    default: 'queued',
    importance: 'MEDIUM',
    group: GROUP.errors,
    documentation:
      'When a file counts as delivered: `queued` when the service has accepted it, `ingested` (or `true`) when its rows are in the table. With `queued`, the service’s own failures appear only in its failure list.',
    ...oneOf('queued', 'ingested', 'true', 'false'),
  },
  {
    name: KEY.ingestConfirmTimeoutMs,
    type: 'LONG',
    default: 900_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'With `analytics.ingest.confirm=ingested`: timeout for the rows to appear, in milliseconds.',
    constraint: atLeast(1),
  },
  {
    name: KEY.onError,
    type: 'STRING',
    default: 'FAIL',
    importance: 'LOW',
    group: GROUP.errors,
    documentation:
      'How to handle records and files that cannot be delivered: `fail` fails the task; `log` and `ignore` continue without them, after sending them to the dead letter queue if there is one.',
    ...oneOf('FAIL', 'LOG', 'IGNORE'),
  },
  {
    name: KEY.errorsRetryMaxTimeMs,
    type: 'LONG',
    default: 300_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'How long a file is retried after its first failure, in milliseconds. 0: no retries.',
    constraint: atLeast(0),
  },
  {
    name: KEY.errorsRetryBackoffTimeMs,
    type: 'LONG',
    default: 10_000,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Wait between two attempts, in milliseconds.',
    constraint: atLeast(1),
  },
  {
    name: KEY.errorsRetryBackoffMultiplier,
    type: 'DOUBLE',
    default: 1,
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Factor by which the wait grows with every attempt.',
    constraint: atLeast(1),
  },
  {
    name: KEY.deadLettersBootstrapServers,
    type: 'STRING',
    default: '',
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Kafka for records that could not be delivered; other keys with this prefix configure its producer.',
  },
  {
    name: KEY.deadLettersTopicName,
    type: 'STRING',
    default: '',
    importance: 'LOW',
    group: GROUP.errors,
    documentation: 'Topic for records that could not be delivered.',
  },
];

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
