/** The sink's settings, from a valid configuration. */
import { tmpdir } from 'node:os';
import { ConfigError, type ConnectorConfig, type WorkerSettings } from '@millrace/sdk';
import type { TableMapping } from '../mapping/topic-mapping';
import { checkConfig } from './check';
import { isServiceHost } from './clouds';
import type { METADATA_COLUMNS } from './definitions';
import { listOf } from './definitions';
import { trustOf } from './endpoints';
import { DEAD_LETTERS_PREFIX, KEY } from './keys';

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
  const text = (name: string): string => String(values.get(name) ?? '');
  const lower = (name: string): string => text(name).toLowerCase();
  const number = (name: string): number => Number(values.get(name));
  const flag = (name: string): boolean => values.get(name) === true;
  const settings: AnalyticsSettings = {
    ingestionUrl: urls.ingestion,
    queryUrl: urls.query,
    proxy:
      text(KEY.proxyHost) && number(KEY.proxyPort) > -1
        ? { host: text(KEY.proxyHost), port: number(KEY.proxyPort) }
        : null,
    login: {
      strategy: lower(KEY.authStrategy) as LoginSettings['strategy'],
      tenant: text(KEY.authAuthority),
      appId: text(KEY.authAppId),
      appKey: text(KEY.authAppKey),
      accessToken: text(KEY.authAccessToken),
      endpoint: text(KEY.authEndpoint) || null,
      scope: text(KEY.authScope) || null,
      clusterMayBeProvider:
        !isServiceHost(new URL(urls.ingestion).hostname) &&
        (lower(KEY.authStrategy) === 'application' || trustOf(worker).insecure),
    },
    mappings: mappings.mappings,
    validateTables: flag(KEY.validationTableEnable),
    validateJson: flag(KEY.validateJson),
    metadataColumns: listOf(text(KEY.metadataColumns)) as MetadataColumn[],
    tempDir: text(KEY.tempDirPath) || tmpdir(),
    flushBytes: number(KEY.flushSizeBytes),
    flushIntervalMs: number(KEY.flushIntervalMs),
    maxInflightFiles: number(KEY.maxInflightFiles),
    retainBlobs: flag(KEY.blobRetain),
    dedupeTags: flag(KEY.dedupeTags),
    rebalanceFlushMs: number(KEY.rebalanceFlushTimeoutMs),
    protocol: lower(KEY.ingestProtocol) as AnalyticsSettings['protocol'],
    confirm: ['ingested', 'true'].includes(lower(KEY.ingestConfirm)) ? 'ingested' : 'queued',
    confirmTimeoutMs: number(KEY.ingestConfirmTimeoutMs),
    onError: lower(KEY.onError) as AnalyticsSettings['onError'],
    retry: {
      maxMs: number(KEY.errorsRetryMaxTimeMs),
      backoffMs: number(KEY.errorsRetryBackoffTimeMs),
      multiplier: number(KEY.errorsRetryBackoffMultiplier),
    },
    deadLetters: deadLetters(config, text(KEY.deadLettersBootstrapServers), text(KEY.deadLettersTopicName)),
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
