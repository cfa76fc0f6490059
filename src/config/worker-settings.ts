/**
 * All supported worker settings in one table. Names, types and defaults: connect-rest §5, connect-runtime §1.2, §2.1
 * and Appendix A.1. Java's settings are literals. Those that
 * only Millrace has are constants, and so is `ALLOWED_TOKEN_URLS`, a system property of Java.
 */
import { getHashes } from 'node:crypto';
import { parseAllowedHosts } from './allowed-hosts';
import { parseCorsMethods, parseOrigins } from './cors';
import { CLIENT_AUTH, isHostName, parseListener } from './listeners';
import { ALLOWED_TOKEN_URLS } from './oauth-urls';
import { parseHeaderRules } from './response-headers';
import { REST_AUTH_SETTINGS } from './rest-auth-settings';
import { RESTART_BACKOFF, RESTART_BACKOFF_MAX, RESTART_DEFAULTS, RESTART_MAX } from './restart-settings';
import {
  atLeast,
  cores,
  nonEmpty,
  oneOf,
  positiveOrBrokerDefault,
  type Setting,
  type SettingType,
  type SettingValue,
} from './setting';
import { PLUGIN_SILENCE, PLUGIN_WATCH, TASK_HOST, TASK_THREADS } from './task-thread-settings';
import {
  TASK_ACTIONS,
  THREAD_SILENCE,
  WATCHDOG_ACTION,
  WATCHDOG_DEFAULTS,
  WATCHDOG_TASK,
  WATCHDOG_TICK,
} from './watchdog-settings';

export const ALLOWED_HOSTS = 'rest.allowed.hosts';
/** Whether the worker serves the console for browsers, at `/ui`. */
export const CONSOLE = 'console.enabled';
export const BODY_MAX = 'rest.body.max.bytes';
export const CONNECTIONS_MAX = 'rest.connections.max';
export const BODIES_IN_FLIGHT = 'rest.bodies.in.flight.max.bytes';

const OVERRIDE_POLICIES = ['All', 'None', 'Principal', 'Allowlist'];
const POLICY_CLASS =
  /^(?:org\.apache\.kafka\.connect\.connector\.policy\.)?(\w+?)(?:ConnectorClientConfigOverridePolicy)?$/;

/** `All`, `None`, `Principal` or `Allowlist`, also for Java's class names. Null when unknown. */
export function overridePolicy(name: string): string | null {
  const short = POLICY_CLASS.exec(name)?.[1] ?? '';
  return OVERRIDE_POLICIES.includes(short) ? short : null;
}

/** Node's digest for a Java MAC name (`HmacSHA256` → `sha256`), or null if there is none. */
export function digestOf(algorithm: string): string | null {
  const digest = /^hmac(.+)$/i.exec(algorithm)?.[1]?.toLowerCase().replace('/', '-');
  return digest !== undefined && getHashes().some((h) => h.toLowerCase() === digest) ? digest : null;
}

const knownMac = (value: SettingValue) => {
  const unknown = (Array.isArray(value) ? value : [value]).find((v) => digestOf(String(v)) === null);
  return unknown === undefined ? null : `the algorithm ${unknown} is not available`;
};

/** Creates a check from a parser that throws the reason. */
const parses = (parse: (text: string) => unknown) => (value: SettingValue) => {
  try {
    parse(String(value));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

const listeners = (value: SettingValue) => {
  for (const text of (value ?? []) as readonly string[]) {
    const reason = parses(parseListener)(text);
    if (reason !== null) return reason;
  }
  return null;
};

const advertisedHost = (value: SettingValue) =>
  value === null || value === '' || isHostName(String(value))
    ? null
    : 'it must be a host name or an address that the other workers can reach, without protocol and port';

const portNumber = (value: SettingValue) =>
  atLeast(0)(value) ?? (typeof value === 'number' && value > 65535 ? 'Value must be no more than 65535' : null);

function setting(name: string, type: SettingType, def: SettingValue, check?: Setting['check']): Setting {
  return { name, type, default: def, check };
}

export const WORKER_SETTINGS: readonly Setting[] = [
  {
    name: 'bootstrap.servers',
    type: 'LIST',
    check: nonEmpty,
    hint: 'list the Kafka brokers to connect to first, e.g. bootstrap.servers=localhost:9092, or run without Kafka: millrace dev',
  },
  {
    name: 'group.id',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the name of the worker group, e.g. group.id=connect-cluster',
  },
  {
    name: 'config.storage.topic',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the compacted topic for connector configs, e.g. config.storage.topic=connect-configs',
  },
  {
    name: 'offset.storage.topic',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the compacted topic for source offsets, e.g. offset.storage.topic=connect-offsets',
  },
  {
    name: 'status.storage.topic',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the compacted topic for connector and task statuses, e.g. status.storage.topic=connect-status',
  },
  {
    name: 'key.converter',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the class that serializes record keys, e.g. key.converter=org.apache.kafka.connect.json.JsonConverter',
  },
  {
    name: 'value.converter',
    type: 'STRING',
    check: nonEmpty,
    hint: 'set the class that serializes record values, e.g. value.converter=org.apache.kafka.connect.json.JsonConverter',
  },
  setting('header.converter', 'STRING', 'org.apache.kafka.connect.storage.SimpleHeaderConverter', nonEmpty),
  setting('client.id', 'STRING', ''),

  setting('config.storage.replication.factor', 'SHORT', 3, positiveOrBrokerDefault),
  setting('offset.storage.partitions', 'INT', 25, positiveOrBrokerDefault),
  setting('offset.storage.replication.factor', 'SHORT', 3, positiveOrBrokerDefault),
  setting('status.storage.partitions', 'INT', 5, positiveOrBrokerDefault),
  setting('status.storage.replication.factor', 'SHORT', 3, positiveOrBrokerDefault),

  setting('listeners', 'LIST', ['http://:8083'], (value) => nonEmpty(value) ?? listeners(value)),
  setting('admin.listeners', 'LIST', null, listeners),
  setting('rest.advertised.host.name', 'STRING', null, advertisedHost),
  setting('rest.advertised.port', 'INT', null, portNumber),
  setting('rest.advertised.listener', 'STRING', null, (value) =>
    value === null || value === '' ? null : oneOf('http', 'https')(value),
  ),
  setting('access.control.allow.origin', 'STRING', '', parses(parseOrigins)),
  setting('access.control.allow.methods', 'STRING', '', parses(parseCorsMethods)),
  setting('response.http.headers.config', 'STRING', '', parses(parseHeaderRules)),
  setting(
    ALLOWED_HOSTS,
    'LIST',
    [],
    parses((text) => parseAllowedHosts(text.split(','))),
  ),
  setting(BODY_MAX, 'INT', 1024 * 1024, atLeast(1024)),
  setting(BODIES_IN_FLIGHT, 'INT', 16 * 1024 * 1024, atLeast(1024)),
  setting(CONNECTIONS_MAX, 'INT', 500, atLeast(2)),
  setting(CONSOLE, 'BOOLEAN', true),
  ...REST_AUTH_SETTINGS,
  setting('ssl.client.auth', 'STRING', 'none', oneOf(...CLIENT_AUTH)),

  setting('session.timeout.ms', 'INT', 10_000, atLeast(1)),
  setting('heartbeat.interval.ms', 'INT', 3_000, atLeast(1)),
  setting('rebalance.timeout.ms', 'INT', 60_000, atLeast(1)),
  setting('scheduled.rebalance.max.delay.ms', 'INT', 300_000, atLeast(0)),
  setting('worker.sync.timeout.ms', 'INT', 3_000, atLeast(0)),
  setting('worker.unsync.backoff.ms', 'INT', 300_000, atLeast(0)),
  setting('connect.protocol', 'STRING', 'sessioned', oneOf('eager', 'compatible', 'sessioned')),
  setting('inter.worker.key.generation.algorithm', 'STRING', 'HmacSHA256', knownMac),
  setting('inter.worker.key.size', 'INT', null, atLeast(8)),
  setting('inter.worker.key.ttl.ms', 'INT', 3_600_000, atLeast(0)),
  setting('inter.worker.signature.algorithm', 'STRING', 'HmacSHA256', knownMac),
  setting(
    'inter.worker.verification.algorithms',
    'LIST',
    ['HmacSHA256'],
    (value) => nonEmpty(value) ?? knownMac(value),
  ),
  setting('exactly.once.source.support', 'STRING', 'disabled', oneOf('disabled', 'preparing', 'enabled')),

  setting('offset.flush.interval.ms', 'LONG', 60_000, atLeast(0)),
  setting('offset.flush.timeout.ms', 'LONG', 5_000, atLeast(0)),
  setting('task.shutdown.graceful.timeout.ms', 'LONG', 5_000, atLeast(0)),
  setting('topic.creation.enable', 'BOOLEAN', true),
  setting('topic.tracking.enable', 'BOOLEAN', true),
  setting('topic.tracking.allow.reset', 'BOOLEAN', true),
  setting('connector.client.config.override.policy', 'STRING', 'All', (value) =>
    overridePolicy(String(value)) === null ? `Class ${String(value)} could not be found.` : null,
  ),
  setting('connector.client.config.override.allowlist', 'LIST', []),
  setting('plugin.path', 'LIST', []),
  setting(ALLOWED_TOKEN_URLS, 'LIST', []),
  setting(
    'plugin.discovery',
    'STRING',
    'hybrid_warn',
    oneOf('only_scan', 'hybrid_warn', 'hybrid_fail', 'service_load'),
  ),
  setting('config.providers', 'LIST', []),
  setting('metrics.sample.window.ms', 'LONG', 30_000, atLeast(0)),
  setting('metrics.num.samples', 'INT', 2, atLeast(1)),
  setting('metrics.recording.level', 'STRING', 'INFO', oneOf('info', 'debug', 'trace')),
  setting('metric.reporters', 'LIST', []),

  setting(RESTART_MAX, 'INT', RESTART_DEFAULTS.max, atLeast(-1)),
  setting(RESTART_BACKOFF, 'LONG', RESTART_DEFAULTS.backoffMs, atLeast(1)),
  setting(RESTART_BACKOFF_MAX, 'LONG', RESTART_DEFAULTS.maxBackoffMs, atLeast(1)),
  setting(WATCHDOG_TASK, 'LONG', WATCHDOG_DEFAULTS.taskMs, atLeast(0)),
  setting(WATCHDOG_ACTION, 'STRING', WATCHDOG_DEFAULTS.taskAction, oneOf(...TASK_ACTIONS)),
  setting(WATCHDOG_TICK, 'LONG', WATCHDOG_DEFAULTS.tickMs, atLeast(0)),
  setting(THREAD_SILENCE, 'LONG', WATCHDOG_DEFAULTS.threadMs, atLeast(0)),
  setting(TASK_THREADS, 'INT', cores(), atLeast(1)),
  setting(TASK_HOST, 'STRING', 'thread', oneOf('thread', 'inline')),
  setting(PLUGIN_SILENCE, 'LONG', 5_000, atLeast(1_000)),
  setting(PLUGIN_WATCH, 'BOOLEAN', false),
];

/** Worker settings that Kafka clients also receive. They receive no others of the table. */
export const SHARED_WITH_CLIENTS: ReadonlySet<string> = new Set(['bootstrap.servers', 'client.id']);

/**
 * Unprefixed client settings that are common in worker configs: known, so that they are not reported as typing errors.
 */
export const CLIENT_SETTINGS: readonly string[] = [
  'acks',
  'client.dns.lookup',
  'compression.type',
  'connections.max.idle.ms',
  'default.api.timeout.ms',
  'isolation.level',
  'metadata.max.age.ms',
  'metadata.recovery.rebootstrap.trigger.ms',
  'metadata.recovery.strategy',
  'receive.buffer.bytes',
  'reconnect.backoff.max.ms',
  'reconnect.backoff.ms',
  'request.timeout.ms',
  'retry.backoff.max.ms',
  'retry.backoff.ms',
  'sasl.jaas.config',
  'sasl.mechanism',
  'security.protocol',
  'send.buffer.bytes',
  'socket.connection.setup.timeout.max.ms',
  'socket.connection.setup.timeout.ms',
];
