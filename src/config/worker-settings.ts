/**
 * All worker settings, one row each, in the order in which they are checked. Names, types and defaults: connect-rest
 * §5, connect-runtime §1.2, §2.1 and Appendix A.1. A row's name here is that of its value in `WorkerConfig`.
 */
import { getHashes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseAllowedHosts } from './allowed-hosts';
import { parseCorsMethods, parseOrigins } from './cors';
import { JAVA_SETTINGS } from './java-settings';
import { CLIENT_AUTH, isHostName, parseListener } from './listeners';
import { parseHeaderRules } from './response-headers';
import { REST_AUTH_SETTINGS } from './rest-auth-settings';
import { atLeast, between, nonEmpty, oneOf, positiveOrBrokerDefault, settingsOf, type Parsed } from './setting';

const OVERRIDE_POLICIES = ['All', 'None', 'Principal', 'Allowlist'];
const POLICY_CLASS =
  /^(?:org\.apache\.kafka\.connect\.connector\.policy\.)?(\w+?)(?:ConnectorClientConfigOverridePolicy)?$/;

/** Returns `All`, `None`, `Principal` or `Allowlist`, also for Java's class names. */
function overridePolicy(name: string): string {
  const short = POLICY_CLASS.exec(name)?.[1] ?? '';
  if (OVERRIDE_POLICIES.includes(short)) return short;
  if (!name.includes('.')) throw new Error(`Class ${name} could not be found.`);
  const reason = `policies are Java classes, and ${name} cannot run here`;
  throw new Error(`${reason}: use ${OVERRIDE_POLICIES.join(', ')}`);
}

/** Whether Node has the digest of a Java MAC name (`HmacSHA256` → `sha256`). */
function hasDigest(algorithm: string): boolean {
  const digest = /^hmac(.+)$/i.exec(algorithm)?.[1]?.toLowerCase().replace('/', '-');
  return digest !== undefined && getHashes().some((hash) => hash.toLowerCase() === digest);
}

const knownMacs = (names: readonly string[]): string | null => {
  const unknown = names.find((name) => !hasDigest(name));
  return unknown === undefined ? null : `the algorithm ${unknown} is not available`;
};
const knownMac = (name: string): string | null => knownMacs([name]);

/** Without a slash at the end. */
function webAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:')
    throw new Error('it must be an address that begins with https:// or http://');
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

function advertisedHost(host: string): string | null {
  if (host === '' || isHostName(host)) return host || null;
  throw new Error('it must be a host name or an address that the other workers can reach, without protocol and port');
}

const REPLICAS = {
  doc: 'Replication factor when the worker creates it. -1: the cluster’s default.',
  check: positiveOrBrokerDefault,
};
const PARTITIONS = {
  doc: 'Number of partitions when the worker creates it. -1: the cluster’s default.',
  check: positiveOrBrokerDefault,
};

/** What happens to a task whose call exceeds its limit. */
export const TASK_ACTIONS = ['log', 'restart'] as const;

const kafka = settingsOf('Kafka and the group');
const storage = settingsOf('Storage topics');
const plugins = settingsOf('Converters, plugins, config providers');
const rest = settingsOf('REST listeners');
const workers = settingsOf('Requests between workers');
const tasks = settingsOf('Tasks and offsets');
const metrics = settingsOf('Metrics');

export const WORKER_SETTINGS = {
  bootstrapServers: kafka.list('bootstrap.servers', undefined, {
    doc: 'Kafka brokers to connect to first. `embedded`: the worker hosts a broker itself.',
    hint: 'list the Kafka brokers to connect to first, e.g. bootstrap.servers=localhost:9092, or run without Kafka: millrace dev',
    check: nonEmpty,
    read: (servers) => servers.join(','),
  }),
  groupId: kafka.text('group.id', undefined, {
    doc: 'Name of the group. Workers with the same name and storage topics share connectors and tasks.',
    hint: 'set the name of the worker group, e.g. group.id=connect-cluster',
    check: nonEmpty,
  }),
  topics: {
    config: storage.text('config.storage.topic', undefined, {
      doc: 'Compacted topic of connector configs, task configs and target states; one partition.',
      hint: 'set the compacted topic for connector configs, e.g. config.storage.topic=connect-configs',
      check: nonEmpty,
    }),
    offset: storage.text('offset.storage.topic', undefined, {
      doc: 'Compacted topic of source offsets.',
      hint: 'set the compacted topic for source offsets, e.g. offset.storage.topic=connect-offsets',
      check: nonEmpty,
    }),
    status: storage.text('status.storage.topic', undefined, {
      doc: 'Compacted topic of the statuses of connectors and tasks.',
      hint: 'set the compacted topic for connector and task statuses, e.g. status.storage.topic=connect-status',
      check: nonEmpty,
    }),
  },
  keyConverter: plugins.text('key.converter', undefined, {
    doc: 'Class that serializes record keys, unless a connector sets its own.',
    hint: 'set the class that serializes record keys, e.g. key.converter=org.apache.kafka.connect.json.JsonConverter',
    check: nonEmpty,
  }),
  valueConverter: plugins.text('value.converter', undefined, {
    doc: 'Class that serializes record values, unless a connector sets its own.',
    hint: 'set the class that serializes record values, e.g. value.converter=org.apache.kafka.connect.json.JsonConverter',
    check: nonEmpty,
  }),
  headerConverter: plugins.text('header.converter', 'org.apache.kafka.connect.storage.SimpleHeaderConverter', {
    doc: 'Class that serializes record headers, unless a connector sets its own.',
    check: nonEmpty,
  }),
  clientId: kafka.text('client.id', '', {
    doc: 'Name of the worker’s clients in the logs and quotas of the brokers.',
  }),

  newTopics: {
    configReplicas: storage.short('config.storage.replication.factor', 3, REPLICAS),
    offsetPartitions: storage.int('offset.storage.partitions', 25, PARTITIONS),
    offsetReplicas: storage.short('offset.storage.replication.factor', 3, REPLICAS),
    statusPartitions: storage.int('status.storage.partitions', 5, PARTITIONS),
    statusReplicas: storage.short('status.storage.replication.factor', 3, REPLICAS),
  },

  listeners: rest.list('listeners', ['http://:8083'], {
    doc: 'Addresses of the REST API, `http://` or `https://`. Without a host: all interfaces.',
    check: nonEmpty,
    read: (listeners) => listeners.map(parseListener),
  }),
  adminListeners: rest.list('admin.listeners', null, {
    doc: 'Addresses of `/admin/loggers`. Not set: all listeners have it; empty: none; a list: only these.',
    read: (listeners) => listeners.map(parseListener),
  }),
  advertisedHost: rest.text('rest.advertised.host.name', null, {
    doc: 'Host at which the other workers reach this one, and by which they recognize it after a restart.',
    read: advertisedHost,
  }),
  advertisedPort: rest.int('rest.advertised.port', null, {
    doc: 'Port at which the other workers reach this one. (Default: that of the first listener)',
    check: between(0, 65535),
  }),
  advertisedListener: rest.text('rest.advertised.listener', null, {
    doc: 'Protocol by which the other workers reach this one. (Default: that of the first listener)',
    read: (protocol) => (protocol === '' ? null : oneOf('http', 'https')(protocol)),
  }),
  cors: {
    origins: rest.text('access.control.allow.origin', '', {
      doc: 'Origins whose pages may read responses (CORS), `*` for all. Empty: no CORS headers.',
      read: parseOrigins,
    }),
    methods: rest.text('access.control.allow.methods', '', {
      doc: 'Methods that are allowed to these pages. Empty: `GET,POST,HEAD`.',
      read: parseCorsMethods,
    }),
  },
  responseHeaders: rest.text('response.http.headers.config', '', {
    doc: 'Rules that add headers to responses, as in Java.',
    read: parseHeaderRules,
  }),
  allowedHosts: rest.list('rest.allowed.hosts', [], {
    doc: 'Millrace only. Names by which clients may address this worker; `*` turns the check off.',
    read: parseAllowedHosts,
  }),
  restBodies: {
    maxBytes: rest.int('rest.body.max.bytes', 1024 * 1024, {
      doc: 'Millrace only. Largest body of a request; 413 beyond.',
      check: atLeast(1024),
    }),
    inFlightBytes: rest.int('rest.bodies.in.flight.max.bytes', 16 * 1024 * 1024, {
      doc: 'Millrace only. Bodies of all requests in flight, of which one caller holds at most half of what others leave; 503 beyond.',
      check: atLeast(1024),
    }),
  },
  restConnectionsMax: rest.int('rest.connections.max', 500, {
    doc: 'Millrace only. Connections of a listener, of which one address may have half; idle ones are closed for new ones.',
    check: atLeast(2),
  }),
  consoleEnabled: rest.flag('console.enabled', true, {
    doc: 'Millrace only. Whether the worker serves the console at `/ui`.',
  }),
  consoleDocsUrl: rest.text('console.docs.url', null, {
    doc: 'Millrace only. Address of the documentation site, to which the console links from error codes.',
    read: webAddress,
  }),
  restAuth: REST_AUTH_SETTINGS,
  clientAuth: rest.text('ssl.client.auth', 'none', {
    doc: 'Whether clients of HTTPS listeners need a certificate. With the prefix `listeners.https.` for these alone.',
    read: oneOf(...CLIENT_AUTH),
  }),

  sessionTimeoutMs: kafka.int('session.timeout.ms', 10_000, {
    doc: 'A worker without a heartbeat for this long is removed from its group, and its work moves to others.',
    check: atLeast(1),
  }),
  heartbeatIntervalMs: kafka.int('heartbeat.interval.ms', 3_000, {
    doc: 'Interval of heartbeats to the group’s coordinator; lower than `session.timeout.ms`.',
    check: atLeast(1),
  }),
  rebalanceTimeoutMs: kafka.int('rebalance.timeout.ms', 60_000, {
    doc: 'How long workers may take to stop revoked work and rejoin during a rebalance.',
    check: atLeast(1),
  }),
  scheduledRebalanceMaxDelayMs: kafka.int('scheduled.rebalance.max.delay.ms', 300_000, {
    doc: 'How long the work of a worker that has left waits for its return before it moves to others.',
    check: atLeast(0),
  }),
  workerSyncTimeoutMs: kafka.int('worker.sync.timeout.ms', 3_000, {
    doc: 'How long a worker waits to read the config topic up to the leader’s position before it leaves the group.',
    check: atLeast(0),
  }),
  workerUnsyncBackoffMs: kafka.int('worker.unsync.backoff.ms', 300_000, {
    doc: 'Wait of a worker that could not catch up with the config topic before it rejoins.',
    check: atLeast(0),
  }),
  connectProtocol: kafka.text('connect.protocol', 'sessioned', {
    doc: 'How workers agree on assignments. `sessioned`: incrementally, with signed requests between workers; `compatible`: incrementally; `eager`: everything stops at each rebalance.',
    read: oneOf('eager', 'compatible', 'sessioned'),
  }),
  interWorkerKeyGenerationAlgorithm: workers.text('inter.worker.key.generation.algorithm', 'HmacSHA256', {
    doc: 'Algorithm that creates the group’s session key.',
    check: knownMac,
  }),
  interWorkerKeySize: workers.int('inter.worker.key.size', null, {
    doc: 'Size of the key in bits. (Default: that of the algorithm)',
    check: atLeast(8),
  }),
  interWorkerKeyTtlMs: workers.int('inter.worker.key.ttl.ms', 3_600_000, {
    doc: 'How long a key is used before the leader replaces it. 0: always.',
    check: atLeast(0),
  }),
  interWorkerSignatureAlgorithm: workers.text('inter.worker.signature.algorithm', 'HmacSHA256', {
    doc: 'Algorithm that signs requests between workers.',
    check: knownMac,
  }),
  interWorkerVerificationAlgorithms: workers.list('inter.worker.verification.algorithms', ['HmacSHA256'], {
    doc: 'Algorithms that are accepted; `inter.worker.signature.algorithm` is one.',
    check: (names) => nonEmpty(names) ?? knownMacs(names),
  }),
  exactlyOnceSourceSupport: tasks.text('exactly.once.source.support', 'disabled', {
    doc: 'Whether records of sources and their offsets are written in one transaction. `preparing` is the step between `disabled` and `enabled` in a running group.',
    read: oneOf('disabled', 'preparing', 'enabled'),
  }),

  offsetFlushIntervalMs: tasks.long('offset.flush.interval.ms', 60_000, {
    doc: 'How often offsets are committed: the bound on what is sent again after a crash.',
    check: atLeast(0),
  }),
  offsetFlushTimeoutMs: tasks.long('offset.flush.timeout.ms', 5_000, {
    doc: 'How long a commit of offsets may take before it is given up and repeated.',
    check: atLeast(0),
  }),
  taskShutdownGracefulTimeoutMs: tasks.long('task.shutdown.graceful.timeout.ms', 5_000, {
    doc: 'How long tasks may take to stop before they are abandoned.',
    check: atLeast(0),
  }),
  topicCreationEnable: tasks.flag('topic.creation.enable', true, {
    doc: 'Whether sources may create topics with `topic.creation.*` of their config.',
  }),
  topicTrackingEnable: tasks.flag('topic.tracking.enable', true, {
    doc: 'Whether the topics that a connector uses are recorded.',
  }),
  topicTrackingAllowReset: tasks.flag('topic.tracking.allow.reset', true, {
    doc: 'Whether the recorded topics of a connector may be reset.',
  }),
  clientOverridePolicy: plugins.text('connector.client.config.override.policy', 'All', {
    doc: 'Which of `producer.override.*`, `consumer.override.*` and `admin.override.*` connectors may set: `All`, `None`, `Principal` (only credentials) or `Allowlist`. Java’s class names are accepted.',
    read: overridePolicy,
  }),
  clientOverrideAllowlist: plugins.list('connector.client.config.override.allowlist', [], {
    doc: 'With the policy `Allowlist`: the client settings that are allowed.',
  }),
  pluginPath: plugins.list('plugin.path', [], {
    doc: 'Folders of plugins, or of folders of plugins. Built-in ones need none.',
    read: (folders) => folders.filter((folder) => folder !== ''),
  }),
  // Not a system property as in Java, because a connector config may set the URL but must not be able to allow it.
  tokenUrls: plugins.list('org.apache.kafka.sasl.oauthbearer.allowed.urls', [], {
    doc: 'URLs from which clients of connectors may fetch OAUTHBEARER tokens. In Java a system property.',
  }),
  pluginDiscovery: plugins.text('plugin.discovery', null, {
    doc: 'How plugins in jars are found. `service_load`: by their service files. `only_scan`, `hybrid_warn`, `hybrid_fail`: by these, and by a search of all classes, which takes a JVM until its results are in the cache. (Default: a search of those folders only that have no service file.)',
    read: oneOf('only_scan', 'hybrid_warn', 'hybrid_fail', 'service_load'),
  }),
  configProviders: plugins.list('config.providers', [], {
    doc: 'Aliases of config providers, whose placeholders keep secrets out of configs.',
  }),
  metricsWindows: {
    sampleMs: metrics.long('metrics.sample.window.ms', 30_000, {
      doc: 'Length of a sample of rates, averages and maxima.',
      check: atLeast(0),
    }),
    samples: metrics.int('metrics.num.samples', 2, {
      doc: 'Number of samples that rates, averages and maxima cover.',
      check: atLeast(1),
    }),
  },
  metricsRecordingLevel: metrics.text('metrics.recording.level', 'INFO', {
    doc: 'Java’s level of detail. Accepted, and without effect.',
    read: oneOf('info', 'debug', 'trace'),
  }),
  metricReporters: metrics.list('metric.reporters', [], {
    doc: 'Java classes. Accepted, and without effect: metrics are at `GET /metrics`.',
  }),

  restart: {
    // Twenty restarts take about an hour. Most outages are shorter, and a task that fails every time does not write
    // duplicates forever.
    max: tasks.int('errors.restart.max', 20, {
      doc: 'Millrace only. Consecutive automatic restarts of a failed connector or task. 0: none, as in Java; -1: no limit.',
      check: atLeast(-1),
    }),
    backoffMs: tasks.long('errors.restart.backoff.ms', 1_000, {
      doc: 'Millrace only. Delay before the first restart; it doubles with each restart.',
      check: atLeast(1),
    }),
    maxBackoffMs: tasks.long('errors.restart.backoff.max.ms', 300_000, {
      doc: 'Millrace only. Longest delay, and how long a task must run for the count to start again.',
      check: atLeast(1),
    }),
  },
  watchdog: {
    // Java's `max.poll.interval.ms`.
    taskMs: tasks.long('watchdog.task.ms', 300_000, {
      doc: 'Millrace only. A call into a task that takes longer is reported as stuck. 0: no limit.',
      check: atLeast(0),
    }),
    taskAction: tasks.text('watchdog.task.action', 'log', {
      doc: 'Millrace only. What happens to a stuck task: `log` reports it, `restart` restarts it.',
      read: oneOf(...TASK_ACTIONS),
    }),
    tickMs: tasks.long('watchdog.tick.ms', 120_000, {
      doc: 'Millrace only. How long one round of the herder may take before the worker is unhealthy. 0: no limit.',
      check: atLeast(0),
    }),
    threadMs: tasks.long('task.thread.silence.ms', 60_000, {
      doc: 'Millrace only. How long a task thread may be unresponsive before it is terminated. 0: no limit.',
      check: atLeast(0),
    }),
  },
  taskThreads: tasks.int('task.threads', availableParallelism(), {
    doc: 'Millrace only. Threads that tasks share. (Default: the number of CPU cores)',
    check: atLeast(1),
  }),
  jvm: JAVA_SETTINGS,
  taskHost: tasks.text('task.host', 'thread', {
    doc: 'Millrace only. `thread`: tasks run in threads; `inline`: in the worker’s main thread, for tests.',
    read: oneOf('thread', 'inline'),
  }),
  pluginSilenceMs: plugins.long('plugin.thread.silence.ms', 5_000, {
    doc: 'Millrace only. How long plugin code other than tasks may block its thread before the thread is terminated.',
    check: atLeast(1_000),
  }),
  pluginWatch: plugins.flag('plugin.watch', false, {
    doc: 'Millrace only. Reloads plugins of `plugin.path` when their files change. `millrace dev` sets it to `true`.',
  }),
};

export type WorkerSettings = Parsed<typeof WORKER_SETTINGS>;
export type RestartSettings = WorkerSettings['restart'];
export type TaskAction = WorkerSettings['watchdog']['taskAction'];
