/** The sink's settings, from a valid configuration. */
import { tmpdir } from 'node:os';
import { ConfigError, type ConnectorConfig, type WorkerSettings } from '@millrace/sdk';
import type { TableMapping } from '../mapping/topic-mapping';
import { checkConfig } from './check';
import { isServiceHost } from './clouds';
import { trustOf } from './endpoints';
import { DEAD_LETTERS_PREFIX, listOf, readValue, type Field, type METADATA_COLUMNS } from './definitions';

export type MetadataColumn = (typeof METADATA_COLUMNS)[number];

export interface LoginSettings {
  readonly strategy: 'application' | 'managed_identity' | 'workload_identity' | 'az_dev_token' | 'none';
  readonly tenant: string;
  readonly appId: string;
  readonly appKey: string;
  readonly accessToken: string;
  /** Null: the one that the cluster names. */
  readonly endpoint: string | null;
  readonly scope: string | null;
  /** Whether the cluster may name itself as the identity provider and as the resource of its tokens. */
  readonly clusterMayBeProvider: boolean;
}

/** Durations in milliseconds, sizes in bytes. */
export interface AnalyticsSettings {
  readonly ingestionUrl: string;
  readonly queryUrl: string;
  readonly proxy: { readonly host: string; readonly port: number } | null;
  readonly login: LoginSettings;
  readonly mappings: readonly TableMapping[];
  readonly validateTables: boolean;
  readonly validateJson: boolean;
  readonly metadataColumns: readonly MetadataColumn[];
  readonly tempDir: string;
  readonly flushBytes: number;
  readonly flushIntervalMs: number;
  readonly maxInflightFiles: number;
  readonly retainBlobs: boolean;
  readonly dedupeTags: boolean;
  /** 0: open files are discarded, and the next owner starts them again. */
  readonly rebalanceFlushMs: number;
  readonly protocol: 'queue' | 'rest';
  readonly confirm: 'queued' | 'ingested';
  readonly confirmTimeoutMs: number;
  readonly onError: 'fail' | 'log' | 'ignore';
  readonly retry: { readonly maxMs: number; readonly backoffMs: number; readonly multiplier: number };
  readonly deadLetters: DeadLetterSettings | null;
}

export interface DeadLetterSettings {
  readonly bootstrapServers: readonly string[];
  readonly topic: string;
  /** The other keys with the prefix, e.g. `security.protocol`. */
  readonly client: Readonly<Record<string, string>>;
}

/** @throws ConfigError `ANALYTICS_CONFIG` with all problems. */
export function parseSettings(
  config: ConnectorConfig,
  worker: WorkerSettings = {},
): { settings: AnalyticsSettings; warnings: readonly string[] } {
  const { values, urls, mappings, problems, warnings } = checkConfig(config, worker);
  if (problems.length > 0)
    throw new ConfigError(problems.map(({ key, message }) => `${key}: ${message}`).join('; '), {
      code: 'ANALYTICS_CONFIG',
    });
  const get = <F extends Field>(field: F) => readValue(field, values);
  const settings: AnalyticsSettings = {
    ingestionUrl: urls.ingestion,
    queryUrl: urls.query,
    proxy: get('proxyHost') && get('proxyPort') > -1 ? { host: get('proxyHost'), port: get('proxyPort') } : null,
    login: {
      strategy: get('authStrategy'),
      tenant: get('authAuthority'),
      appId: get('authAppId'),
      appKey: get('authAppKey'),
      accessToken: get('authAccessToken'),
      endpoint: get('authEndpoint') || null,
      scope: get('authScope') || null,
      clusterMayBeProvider:
        !isServiceHost(new URL(urls.ingestion).hostname) &&
        (get('authStrategy') === 'application' || trustOf(worker).insecure),
    },
    mappings: mappings.mappings,
    validateTables: get('validationTableEnable'),
    validateJson: get('validateJson'),
    metadataColumns: listOf(get('metadataColumns')) as MetadataColumn[],
    tempDir: get('tempDirPath') || tmpdir(),
    flushBytes: get('flushSizeBytes'),
    flushIntervalMs: get('flushIntervalMs'),
    maxInflightFiles: get('maxInflightFiles'),
    retainBlobs: get('blobRetain'),
    dedupeTags: get('dedupeTags'),
    rebalanceFlushMs: get('rebalanceFlushTimeoutMs'),
    protocol: get('ingestProtocol'),
    confirm: /^(?:ingested|true)$/.test(get('ingestConfirm')) ? 'ingested' : 'queued',
    confirmTimeoutMs: get('ingestConfirmTimeoutMs'),
    onError: get('onError'),
    retry: {
      maxMs: get('errorsRetryMaxTimeMs'),
      backoffMs: get('errorsRetryBackoffTimeMs'),
      multiplier: get('errorsRetryBackoffMultiplier'),
    },
    deadLetters: deadLetters(config, get('deadLettersBootstrapServers'), get('deadLettersTopicName')),
  };
  const development =
    settings.login.strategy === 'az_dev_token' ? ['Authentication strategy az_dev_token is for development only'] : [];
  return { settings, warnings: [...warnings, ...development] };
}

function deadLetters(config: ConnectorConfig, servers: string, topic: string): DeadLetterSettings | null {
  if (servers === '' || topic === '') return null;
  const client: Record<string, string> = {};
  for (const [key, value] of Object.entries(config))
    if (key.startsWith(DEAD_LETTERS_PREFIX)) client[key.slice(DEAD_LETTERS_PREFIX.length)] = value;
  delete client['bootstrap.servers'];
  delete client['topic.name'];
  return { bootstrapServers: listOf(servers), topic, client };
}
