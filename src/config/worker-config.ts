import { ConfigError } from '@millrace/sdk';
import { parseAllowedHosts, type AllowedHosts } from './allowed-hosts';
import { clientSettings, withoutPrefix, type ClientKind } from './client-config';
import { corsSettings, type CorsSettings } from './cors';
import { parseListener, type Listener } from './listeners';
import { ALLOWED_TOKEN_URLS, tokenUrls } from './oauth-urls';
import { parseHeaderRules, type HeaderRule } from './response-headers';
import { RESTART_BACKOFF, RESTART_BACKOFF_MAX, RESTART_MAX, type RestartSettings } from './restart-settings';
import { needsSignatures, restAuthSettings, type RestAuthSettings } from './rest-auth-settings';
import { parseSetting, type Setting, type SettingValue } from './setting';
import { PLUGIN_SILENCE, PLUGIN_WATCH, TASK_HOST, TASK_THREADS } from './task-thread-settings';
import {
  THREAD_SILENCE,
  WATCHDOG_ACTION,
  WATCHDOG_TASK,
  WATCHDOG_TICK,
  type TaskAction,
  type WatchdogSettings,
} from './watchdog-settings';
import {
  ALLOWED_HOSTS,
  BODIES_IN_FLIGHT,
  BODY_MAX,
  CONNECTIONS_MAX,
  CONSOLE,
  overridePolicy,
  WORKER_SETTINGS,
} from './worker-settings';

/**
 * The worker's settings, parsed and checked. Key names are Java's. Defaults: connect-rest §5, connect-runtime Appendix
 * A.1.
 */
export interface StorageTopicConfig {
  readonly topic: string;
  /** -1: the broker's default. */
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Topic-level settings used at creation, `cleanup.policy` excluded. */
  readonly topicConfigs: Readonly<Record<string, string>>;
}

export interface WorkerConfig {
  /** All settings after environment overrides, unparsed. May contain secrets: never log it. */
  readonly raw: Readonly<Record<string, string>>;
  readonly bootstrapServers: string;
  readonly groupId: string;
  readonly clientId: string;
  readonly listeners: readonly Listener[];
  /** Null: `listeners` serve the admin routes. Empty: they are off. Otherwise only these listeners serve them. */
  readonly adminListeners: readonly Listener[] | null;
  /** Null: no CORS headers. */
  readonly cors: CorsSettings | null;
  readonly responseHeaders: readonly HeaderRule[];
  /** Millrace only: host names that clients may use for this worker, in addition to its own. */
  readonly allowedHosts: AllowedHosts;
  /** Millrace only: size limits of a single request body and of all bodies in flight. */
  readonly restBodies: { readonly maxBytes: number; readonly inFlightBytes: number };
  /** Millrace only: connections of a listener. */
  readonly restConnectionsMax: number;
  /** Millrace only: `listeners` serve the console for browsers. */
  readonly consoleEnabled: boolean;
  /** Who may use the REST API. */
  readonly restAuth: RestAuthSettings;
  readonly advertisedHost: string | null;
  readonly advertisedPort: number | null;
  readonly advertisedListener: 'http' | 'https' | null;
  readonly config: StorageTopicConfig;
  readonly offset: StorageTopicConfig;
  readonly status: StorageTopicConfig;
  readonly keyConverter: string;
  readonly valueConverter: string;
  readonly headerConverter: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly scheduledRebalanceMaxDelayMs: number;
  readonly workerSyncTimeoutMs: number;
  readonly workerUnsyncBackoffMs: number;
  readonly connectProtocol: 'eager' | 'compatible' | 'sessioned';
  /** Accept only signed internal requests, even in a group of an older protocol. */
  readonly alwaysVerifies: boolean;
  readonly interWorkerKeyTtlMs: number;
  readonly interWorkerKeySize: number | null;
  readonly interWorkerKeyGenerationAlgorithm: string;
  readonly interWorkerSignatureAlgorithm: string;
  readonly interWorkerVerificationAlgorithms: readonly string[];
  readonly offsetFlushIntervalMs: number;
  readonly offsetFlushTimeoutMs: number;
  readonly taskShutdownGracefulTimeoutMs: number;
  readonly topicCreationEnable: boolean;
  readonly topicTrackingEnable: boolean;
  readonly topicTrackingAllowReset: boolean;
  readonly exactlyOnceSourceSupport: 'disabled' | 'preparing' | 'enabled';
  /** `All`, `None`, `Principal` or `Allowlist`. */
  readonly clientOverridePolicy: string;
  readonly clientOverrideAllowlist: readonly string[];
  readonly pluginPath: readonly string[];
  /** Where Kafka clients may fetch OAUTHBEARER tokens, a connector's clients included. */
  readonly tokenUrls: ReadonlySet<string>;
  /** Sample windows of metrics. */
  readonly metricsWindows: { readonly sampleMs: number; readonly samples: number };
  /** Millrace only: automatic restarts. A connector config may override them. */
  readonly restart: RestartSettings;
  /** Millrace only: when a call counts as stuck. */
  readonly watchdog: WatchdogSettings;
  /** Millrace only: size of the thread pool for tasks. (Default: the machine's cores) */
  readonly taskThreads: number;
  /** Millrace only: `thread` or `inline`. (Default: `thread`) */
  readonly taskHost: 'thread' | 'inline';
  /** Millrace only: how long plugin code other than tasks may block its thread. (Default: 5 s) */
  readonly pluginSilenceMs: number;
  /** Millrace only: plugins in `plugin.path` are reloaded when their files change. (Default: false; `dev`: true) */
  readonly pluginWatch: boolean;
  /**
   * Settings for a Kafka client, precedence of connect-runtime Appendix B before connector overrides: `worker` =
   * unprefixed client settings; `producer` / `consumer` = bootstrap servers + that prefix alone; `admin` = unprefixed +
   * `admin.`.
   */
  client(kind: ClientKind): Readonly<Record<string, string>>;
  /** Settings under a converter's prefix, e.g. `key.converter.` → `{ 'schemas.enable': 'false' }`. */
  withPrefix(prefix: string): Readonly<Record<string, string>>;
}

/**
 * Parses and checks the worker's settings (after environment overrides and config providers). Throws ConfigError
 * `WORKER_CONFIG_INVALID` with one sentence that names the first invalid setting and contains no secrets.
 */
export function parseWorkerConfig(given: Readonly<Record<string, string>>): WorkerConfig {
  const raw = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value.trim()]));
  const values = new Map(WORKER_SETTINGS.map((setting) => [setting.name, settingValue(setting, raw)]));
  const get = <T extends SettingValue>(name: string): T => values.get(name) as T;
  const text = (name: string): string => get(name);
  const number = (name: string): number => get(name);
  const flag = (name: string): boolean => get(name);
  const list = (name: string): readonly string[] => get(name);
  const textOrNull = (name: string): string | null => get<string | null>(name) || null;
  const storage = (kind: 'config' | 'offset' | 'status'): StorageTopicConfig => ({
    topic: text(`${kind}.storage.topic`),
    partitions: kind === 'config' ? 1 : number(`${kind}.storage.partitions`),
    replicationFactor: number(`${kind}.storage.replication.factor`),
    topicConfigs: topicConfigs(raw, kind),
  });

  if (number('heartbeat.interval.ms') >= number('session.timeout.ms')) {
    throw invalid(
      'heartbeat.interval.ms',
      `it must be lower than session.timeout.ms, but ${number('heartbeat.interval.ms')} is not lower than ${number('session.timeout.ms')}`,
    );
  }
  if (number(BODIES_IN_FLIGHT) < number(BODY_MAX)) {
    throw invalid(
      BODIES_IN_FLIGHT,
      `it must not be lower than ${BODY_MAX}, but ${number(BODIES_IN_FLIGHT)} is lower than ${number(BODY_MAX)}`,
    );
  }
  if (raw['transactional.id'])
    throw invalid(
      'transactional.id',
      "the worker's producers share unprefixed settings, and most of them are not transactional; remove it, exactly-once sources have ids of their own",
    );
  const signature = text('inter.worker.signature.algorithm');
  if (!list('inter.worker.verification.algorithms').includes(signature)) {
    throw invalid(
      'inter.worker.signature.algorithm',
      `${signature} must be contained in inter.worker.verification.algorithms (${list('inter.worker.verification.algorithms').join(', ')})`,
    );
  }

  const restAuth = restAuthSettings({ raw, text: textOrNull, number, list, invalid });
  return {
    raw,
    bootstrapServers: list('bootstrap.servers').join(','),
    groupId: text('group.id'),
    clientId: text('client.id'),
    listeners: list('listeners').map(parseListener),
    adminListeners: get<readonly string[] | null>('admin.listeners')?.map(parseListener) ?? null,
    cors: corsSettings(text('access.control.allow.origin'), text('access.control.allow.methods')),
    responseHeaders: parseHeaderRules(text('response.http.headers.config')),
    allowedHosts: parseAllowedHosts(list(ALLOWED_HOSTS)),
    restBodies: { maxBytes: number(BODY_MAX), inFlightBytes: number(BODIES_IN_FLIGHT) },
    restConnectionsMax: number(CONNECTIONS_MAX),
    consoleEnabled: flag(CONSOLE),
    restAuth,
    advertisedHost: textOrNull('rest.advertised.host.name'),
    advertisedPort: get('rest.advertised.port'),
    advertisedListener: (textOrNull('rest.advertised.listener')?.toLowerCase() ?? null) as 'http' | 'https' | null,
    config: storage('config'),
    offset: storage('offset'),
    status: storage('status'),
    keyConverter: text('key.converter'),
    valueConverter: text('value.converter'),
    headerConverter: text('header.converter'),
    sessionTimeoutMs: number('session.timeout.ms'),
    heartbeatIntervalMs: number('heartbeat.interval.ms'),
    rebalanceTimeoutMs: number('rebalance.timeout.ms'),
    scheduledRebalanceMaxDelayMs: number('scheduled.rebalance.max.delay.ms'),
    workerSyncTimeoutMs: number('worker.sync.timeout.ms'),
    metricsWindows: { sampleMs: number('metrics.sample.window.ms'), samples: number('metrics.num.samples') },
    workerUnsyncBackoffMs: number('worker.unsync.backoff.ms'),
    connectProtocol: text('connect.protocol').toLowerCase() as WorkerConfig['connectProtocol'],
    alwaysVerifies: needsSignatures(restAuth),
    interWorkerKeyTtlMs: number('inter.worker.key.ttl.ms'),
    interWorkerKeySize: get('inter.worker.key.size'),
    interWorkerKeyGenerationAlgorithm: text('inter.worker.key.generation.algorithm'),
    interWorkerSignatureAlgorithm: signature,
    interWorkerVerificationAlgorithms: list('inter.worker.verification.algorithms'),
    offsetFlushIntervalMs: number('offset.flush.interval.ms'),
    offsetFlushTimeoutMs: number('offset.flush.timeout.ms'),
    taskShutdownGracefulTimeoutMs: number('task.shutdown.graceful.timeout.ms'),
    topicCreationEnable: flag('topic.creation.enable'),
    topicTrackingEnable: flag('topic.tracking.enable'),
    topicTrackingAllowReset: flag('topic.tracking.allow.reset'),
    exactlyOnceSourceSupport: text(
      'exactly.once.source.support',
    ).toLowerCase() as WorkerConfig['exactlyOnceSourceSupport'],
    clientOverridePolicy: overridePolicy(text('connector.client.config.override.policy')) as string,
    clientOverrideAllowlist: list('connector.client.config.override.allowlist'),
    pluginPath: list('plugin.path').filter((path) => path !== ''),
    tokenUrls: tokenUrls(raw, list(ALLOWED_TOKEN_URLS)),
    restart: {
      max: number(RESTART_MAX),
      backoffMs: number(RESTART_BACKOFF),
      maxBackoffMs: number(RESTART_BACKOFF_MAX),
    },
    watchdog: {
      taskMs: number(WATCHDOG_TASK),
      taskAction: text(WATCHDOG_ACTION).toLowerCase() as TaskAction,
      tickMs: number(WATCHDOG_TICK),
      threadMs: number(THREAD_SILENCE),
    },
    taskThreads: number(TASK_THREADS),
    taskHost: text(TASK_HOST).toLowerCase() as 'thread' | 'inline',
    pluginSilenceMs: number(PLUGIN_SILENCE),
    pluginWatch: flag(PLUGIN_WATCH),
    client: (kind) => clientSettings(raw, kind),
    withPrefix: (prefix) => withoutPrefix(raw, prefix),
  };
}

function settingValue(setting: Setting, raw: Readonly<Record<string, string>>): SettingValue {
  const text = raw[setting.name];
  if (text === undefined) {
    if (setting.default === undefined) throw required(setting);
    return setting.default;
  }
  let value: SettingValue;
  try {
    value = parseSetting(setting.type, text);
  } catch (error) {
    throw invalid(setting.name, `${JSON.stringify(text)}: ${(error as Error).message}`);
  }
  const reason = setting.check?.(value) ?? null;
  if (reason === null) return value;
  throw text === '' && setting.default === undefined
    ? required(setting)
    : invalid(setting.name, `${JSON.stringify(text)}: ${reason}`);
}

/** Topic-level settings for creation; `cleanup.policy` is always `compact`. */
function topicConfigs(raw: Readonly<Record<string, string>>, kind: string): Record<string, string> {
  const settings = withoutPrefix(raw, `${kind}.storage.`);
  for (const name of ['topic', 'partitions', 'replication.factor', 'cleanup.policy']) delete settings[name];
  return settings;
}

function required(setting: Setting): ConfigError {
  return failure(setting.name, `Worker setting "${setting.name}" is required: ${setting.hint ?? 'give it a value'}.`);
}

function invalid(name: string, reason: string): ConfigError {
  return failure(name, `Worker setting "${name}" is invalid: ${reason.replace(/\.$/, '')}.`);
}

function failure(name: string, message: string): ConfigError {
  return new ConfigError(message, { code: 'WORKER_CONFIG_INVALID', place: { key: name } });
}
