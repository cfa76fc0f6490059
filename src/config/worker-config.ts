/**
 * The worker's settings, parsed and checked. Most of its fields are the rows of `WORKER_SETTINGS`; those that several
 * rows, or a row and other settings, lead to are here. Pure.
 */
import { withoutPrefix, clientSettings, type ClientKind } from './client-config';
import type { CorsSettings } from './cors';
import { needsSignatures, restAuthSettings, type RestAuthSettings } from './rest-auth-settings';
import { invalidSetting, readSettings } from './setting';
import { SettingProblems } from './setting-problems';
import { WORKER_SETTINGS, type WorkerSettings } from './worker-settings';

type Settings = Readonly<Record<string, string>>;

export interface StorageTopicConfig {
  readonly topic: string;
  /** -1: the broker's default. */
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Topic-level settings used at creation, `cleanup.policy` excluded. */
  readonly topicConfigs: Settings;
}

export interface WorkerConfig extends Omit<WorkerSettings, 'topics' | 'newTopics' | 'cors' | 'restAuth' | 'tokenUrls'> {
  /** All settings after environment overrides, unparsed. May contain secrets: never log it. */
  readonly raw: Settings;
  readonly config: StorageTopicConfig;
  readonly offset: StorageTopicConfig;
  readonly status: StorageTopicConfig;
  /** Null: no CORS headers. */
  readonly cors: CorsSettings | null;
  /** Who may use the REST API. */
  readonly restAuth: RestAuthSettings;
  /** Accept only signed internal requests, even in a group of an older protocol. */
  readonly alwaysVerifies: boolean;
  /** Where Kafka clients may fetch OAUTHBEARER tokens, a connector's clients included. */
  readonly tokenUrls: ReadonlySet<string>;
  /**
   * Settings for a Kafka client, precedence of connect-runtime Appendix B before connector overrides: `worker` =
   * unprefixed client settings; `producer` / `consumer` = bootstrap servers + that prefix alone; `admin` = unprefixed +
   * `admin.`.
   */
  client(kind: ClientKind): Settings;
  /** Settings under a converter's prefix, e.g. `key.converter.` → `{ 'schemas.enable': 'false' }`. */
  withPrefix(prefix: string): Settings;
}

/**
 * Parses and checks the worker's settings (after environment overrides and config providers). Throws ConfigError
 * `WORKER_CONFIG_INVALID` with one sentence for each invalid setting, which names it and contains no secrets.
 */
export function parseWorkerConfig(given: Settings): WorkerConfig {
  const raw = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value.trim()]));
  const problems = new SettingProblems();
  const read = readSettings(WORKER_SETTINGS, raw, problems);
  const { topics, newTopics, cors, restAuth: auth, tokenUrls, ...settings } = read;
  checkConsistency(settings, raw, problems);
  const restAuth = restAuthSettings(auth, settings.connectProtocol, raw, problems);
  problems.throwAny();
  const storage = (kind: keyof typeof topics, partitions: number, replicationFactor: number): StorageTopicConfig => ({
    topic: topics[kind],
    partitions,
    replicationFactor,
    topicConfigs: topicConfigs(raw, kind),
  });
  return {
    ...settings,
    raw,
    config: storage('config', 1, newTopics.configReplicas),
    offset: storage('offset', newTopics.offsetPartitions, newTopics.offsetReplicas),
    status: storage('status', newTopics.statusPartitions, newTopics.statusReplicas),
    cors: cors.origins && { allows: cors.origins, methods: cors.methods },
    restAuth,
    alwaysVerifies: needsSignatures(restAuth),
    tokenUrls: allowedTokenUrls(raw, tokenUrls),
    client: (kind) => clientSettings(raw, kind),
    withPrefix: (prefix) => withoutPrefix(raw, prefix),
  };
}

type Compared = Pick<
  WorkerSettings,
  | 'heartbeatIntervalMs'
  | 'sessionTimeoutMs'
  | 'restBodies'
  | 'interWorkerSignatureAlgorithm'
  | 'interWorkerVerificationAlgorithms'
>;

/** Adds problems of settings that exclude each other, where each is valid alone. */
function checkConsistency(settings: Compared, raw: Settings, problems: SettingProblems): void {
  const { heartbeatIntervalMs: heartbeat, sessionTimeoutMs: session, restBodies } = settings;
  const compare = (keys: readonly [string, string], isWrong: boolean, reason: () => string): void => {
    if (isWrong && !problems.has(...keys)) problems.add(invalidSetting(keys[0], reason()));
  };
  compare(
    ['heartbeat.interval.ms', 'session.timeout.ms'],
    heartbeat >= session,
    () => `it must be lower than session.timeout.ms, but ${heartbeat} is not lower than ${session}`,
  );
  const { maxBytes, inFlightBytes } = restBodies;
  compare(
    ['rest.bodies.in.flight.max.bytes', 'rest.body.max.bytes'],
    inFlightBytes < maxBytes,
    () => `it must not be lower than rest.body.max.bytes, but ${inFlightBytes} is lower than ${maxBytes}`,
  );
  if (raw['transactional.id'])
    problems.add(
      invalidSetting(
        'transactional.id',
        "the worker's producers share unprefixed settings, and most of them are not transactional; remove it, exactly-once sources have ids of their own",
      ),
    );
  const { interWorkerSignatureAlgorithm: signature, interWorkerVerificationAlgorithms: verified } = settings;
  compare(
    ['inter.worker.signature.algorithm', 'inter.worker.verification.algorithms'],
    verified?.includes(signature) === false,
    () => `${signature} must be contained in inter.worker.verification.algorithms (${verified.join(', ')})`,
  );
}

/** Topic-level settings for creation; `cleanup.policy` is always `compact`. */
function topicConfigs(raw: Settings, kind: string): Record<string, string> {
  const settings = withoutPrefix(raw, `${kind}.storage.`);
  for (const name of ['topic', 'partitions', 'replication.factor', 'cleanup.policy']) delete settings[name];
  return settings;
}

/** The listed URLs, and those of the worker's own clients, which the administrator configures. */
function allowedTokenUrls(raw: Settings, listed: readonly string[]): ReadonlySet<string> {
  const own = ['', 'producer.', 'consumer.', 'admin.'].map(
    (prefix) => raw[`${prefix}sasl.oauthbearer.token.endpoint.url`] ?? '',
  );
  return new Set([...listed, ...own].map((url) => url.trim()).filter((url) => url !== ''));
}
