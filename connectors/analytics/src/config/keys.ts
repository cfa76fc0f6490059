/**
 * Names of the settings, for definitions, checks and readers. Error texts spell them out, so that a search finds them.
 */
export const KEY = {
  ingestionUrl: 'analytics.ingestion.url',
  queryUrl: 'analytics.query.url',
  proxyHost: 'proxy.host',
  proxyPort: 'proxy.port',
  authStrategy: 'idp.auth.strategy',
  authAuthority: 'idp.auth.authority',
  authAppId: 'idp.auth.appid',
  authAppKey: 'idp.auth.appkey',
  authAccessToken: 'idp.auth.accesstoken',
  authEndpoint: 'idp.auth.endpoint',
  authScope: 'idp.auth.scope',
  topicsMapping: 'analytics.tables.topics.mapping',
  validationTableEnable: 'analytics.validation.table.enable',
  metadataColumns: 'analytics.metadata.columns',
  validateJson: 'analytics.validate.json',
  tempDirPath: 'tempdir.path',
  flushSizeBytes: 'flush.size.bytes',
  flushIntervalMs: 'flush.interval.ms',
  maxInflightFiles: 'analytics.max.inflight.files',
  rebalanceFlushTimeoutMs: 'analytics.rebalance.flush.timeout.ms',
  blobRetain: 'analytics.blob.retain',
  dedupeTags: 'analytics.dedupe.tags',
  ingestProtocol: 'analytics.ingest.protocol',
  ingestConfirm: 'analytics.ingest.confirm',
  ingestConfirmTimeoutMs: 'analytics.ingest.confirm.timeout.ms',
  onError: 'behavior.on.error',
  errorsRetryMaxTimeMs: 'errors.retry.max.time.ms',
  errorsRetryBackoffTimeMs: 'errors.retry.backoff.time.ms',
  errorsRetryBackoffMultiplier: 'errors.retry.backoff.multiplier',
  deadLettersBootstrapServers: 'misc.deadletterqueue.bootstrap.servers',
  deadLettersTopicName: 'misc.deadletterqueue.topic.name',
} as const;
export type Key = (typeof KEY)[keyof typeof KEY];

/** Prefix of the dead letter queue's keys. Those without a definition configure its producer. */
export const DEAD_LETTERS_PREFIX = 'misc.deadletterqueue.';

/** Settings of the worker, not of a connector. */
export const WORKER_KEY = {
  trustedHosts: 'analytics.trusted.hosts',
  allowInsecureEndpoints: 'analytics.allow.insecure.endpoints',
} as const;
