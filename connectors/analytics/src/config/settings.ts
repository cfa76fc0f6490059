/** The sink's settings, read from a configuration that was found right. */
import { tmpdir } from 'node:os';
import { ConfigError, type ConnectorConfig, type WorkerSettings } from '@millrace/sdk';
import type { TableMapping } from '../mapping/topic-mapping';
import { checkConfig } from './check';
import { isServiceHost } from './clouds';
import type { METADATA_COLUMNS } from './definitions';
import { listOf } from './definitions';
import { trustOf } from './endpoints';

export type MetadataColumn = (typeof METADATA_COLUMNS)[number];

export interface LoginSettings {
  readonly strategy: 'application' | 'managed_identity' | 'workload_identity' | 'az_dev_token' | 'none';
  readonly tenant: string;
  readonly appId: string;
  readonly appKey: string;
  readonly accessToken: string;
  /** Null: as the cluster says. */
  readonly endpoint: string | null;
  readonly scope: string | null;
  /** Whether the cluster may name itself as the identity provider and as what tokens are for. */
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
  /** 0: open files are left to the next owner. */
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
  /** The other keys below the prefix, e.g. `security.protocol`. */
  readonly client: Readonly<Record<string, string>>;
}

const DEAD_LETTERS = 'misc.deadletterqueue.';

/** @throws ConfigError `ANALYTICS_CONFIG` with everything that is wrong. */
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
      text('proxy.host') && number('proxy.port') > -1 ? { host: text('proxy.host'), port: number('proxy.port') } : null,
    login: {
      strategy: lower('idp.auth.strategy') as LoginSettings['strategy'],
      tenant: text('idp.auth.authority'),
      appId: text('idp.auth.appid'),
      appKey: text('idp.auth.appkey'),
      accessToken: text('idp.auth.accesstoken'),
      endpoint: text('idp.auth.endpoint') || null,
      scope: text('idp.auth.scope') || null,
      clusterMayBeProvider:
        !isServiceHost(new URL(urls.ingestion).hostname) &&
        (lower('idp.auth.strategy') === 'application' || trustOf(worker).insecure),
    },
    mappings: mappings.mappings,
    validateTables: flag('analytics.validation.table.enable'),
    validateJson: flag('analytics.validate.json'),
    metadataColumns: listOf(text('analytics.metadata.columns')) as MetadataColumn[],
    tempDir: text('tempdir.path') || tmpdir(),
    flushBytes: number('flush.size.bytes'),
    flushIntervalMs: number('flush.interval.ms'),
    maxInflightFiles: number('analytics.max.inflight.files'),
    retainBlobs: flag('analytics.blob.retain'),
    dedupeTags: flag('analytics.dedupe.tags'),
    rebalanceFlushMs: number('analytics.rebalance.flush.timeout.ms'),
    protocol: lower('analytics.ingest.protocol') as AnalyticsSettings['protocol'],
    confirm: ['ingested', 'true'].includes(lower('analytics.ingest.confirm')) ? 'ingested' : 'queued',
    confirmTimeoutMs: number('analytics.ingest.confirm.timeout.ms'),
    onError: lower('behavior.on.error') as AnalyticsSettings['onError'],
    retry: {
      maxMs: number('errors.retry.max.time.ms'),
      backoffMs: number('errors.retry.backoff.time.ms'),
      multiplier: number('errors.retry.backoff.multiplier'),
    },
    deadLetters: deadLetters(config, text(`${DEAD_LETTERS}bootstrap.servers`), text(`${DEAD_LETTERS}topic.name`)),
  };
  const development =
    settings.login.strategy === 'az_dev_token' ? ['Authentication strategy az_dev_token is for development only'] : [];
  return { settings, warnings: [...warnings, ...development] };
}

function deadLetters(config: ConnectorConfig, servers: string, topic: string): DeadLetterSettings | null {
  if (servers === '' || topic === '') return null;
  const client: Record<string, string> = {};
  for (const [key, value] of Object.entries(config))
    if (key.startsWith(DEAD_LETTERS)) client[key.slice(DEAD_LETTERS.length)] = value;
  delete client['bootstrap.servers'];
  delete client['topic.name'];
  return { bootstrapServers: listOf(servers), topic, client };
}
