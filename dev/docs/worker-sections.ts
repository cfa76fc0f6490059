/** The worker's settings in the order of a reader, with what each is for. The definitions state the rest. */

type Meanings = Readonly<Record<string, string>>;

export const WORKER_SECTIONS: readonly (readonly [title: string, settings: Meanings])[] = [
  [
    'Kafka and the group',
    {
      'bootstrap.servers': 'Kafka brokers to connect to first. `embedded`: the worker hosts a broker itself.',
      'client.id': 'Name of the worker’s clients in the logs and quotas of the brokers.',
      'group.id': 'Name of the group. Workers with the same name and storage topics share connectors and tasks.',
      'session.timeout.ms':
        'A worker without a heartbeat for this long is removed from its group, and its work moves to others.',
      'heartbeat.interval.ms': 'Interval of heartbeats to the group’s coordinator; lower than `session.timeout.ms`.',
      'rebalance.timeout.ms': 'How long workers may take to stop revoked work and rejoin during a rebalance.',
      'scheduled.rebalance.max.delay.ms':
        'How long the work of a worker that has left waits for its return before it moves to others.',
      'worker.sync.timeout.ms':
        'How long a worker waits to read the config topic up to the leader’s position before it leaves the group.',
      'worker.unsync.backoff.ms': 'Wait of a worker that could not catch up with the config topic before it rejoins.',
      'connect.protocol':
        'How workers agree on assignments. `sessioned`: incrementally, with signed requests between workers; `compatible`: incrementally; `eager`: everything stops at each rebalance.',
    },
  ],
  [
    'Storage topics',
    {
      'config.storage.topic': 'Compacted topic of connector configs, task configs and target states; one partition.',
      'config.storage.replication.factor': 'Replication factor when the worker creates it. -1: the cluster’s default.',
      'offset.storage.topic': 'Compacted topic of source offsets.',
      'offset.storage.partitions': 'Number of partitions when the worker creates it. -1: the cluster’s default.',
      'offset.storage.replication.factor': 'Replication factor when the worker creates it. -1: the cluster’s default.',
      'status.storage.topic': 'Compacted topic of the statuses of connectors and tasks.',
      'status.storage.partitions': 'Number of partitions when the worker creates it. -1: the cluster’s default.',
      'status.storage.replication.factor': 'Replication factor when the worker creates it. -1: the cluster’s default.',
    },
  ],
  [
    'Converters, plugins, config providers',
    {
      'key.converter': 'Class that serializes record keys, unless a connector sets its own.',
      'value.converter': 'Class that serializes record values, unless a connector sets its own.',
      'header.converter': 'Class that serializes record headers, unless a connector sets its own.',
      'plugin.path': 'Folders of plugins, or of folders of plugins. Built-in ones need none.',
      'plugin.discovery': 'Java’s way of finding plugins in jars. Accepted, and without effect.',
      'plugin.watch':
        'Millrace only. Reloads plugins of `plugin.path` when their files change. `millrace dev` sets it to `true`.',
      'plugin.thread.silence.ms':
        'Millrace only. How long plugin code other than tasks may block its thread before the thread is terminated.',
      'config.providers': 'Aliases of config providers, whose placeholders keep secrets out of configs.',
      'connector.client.config.override.policy':
        'Which of `producer.override.*`, `consumer.override.*` and `admin.override.*` connectors may set: `All`, `None`, `Principal` (only credentials) or `Allowlist`. Java’s class names are accepted.',
      'connector.client.config.override.allowlist':
        'With the policy `Allowlist`: the client settings that are allowed.',
      'org.apache.kafka.sasl.oauthbearer.allowed.urls':
        'URLs from which clients of connectors may fetch OAUTHBEARER tokens. In Java a system property.',
    },
  ],
  [
    'REST listeners',
    {
      listeners: 'Addresses of the REST API, `http://` or `https://`. Without a host: all interfaces.',
      'admin.listeners':
        'Addresses of `/admin/loggers`. Not set: all listeners have it; empty: none; a list: only these.',
      'rest.advertised.host.name':
        'Host at which the other workers reach this one, and by which they recognize it after a restart.',
      'rest.advertised.port': 'Port at which the other workers reach this one. (Default: that of the first listener)',
      'rest.advertised.listener':
        'Protocol by which the other workers reach this one. (Default: that of the first listener)',
      'ssl.client.auth':
        'Whether clients of HTTPS listeners need a certificate. With the prefix `listeners.https.` for these alone.',
      'access.control.allow.origin':
        'Origins whose pages may read responses (CORS), `*` for all. Empty: no CORS headers.',
      'access.control.allow.methods': 'Methods that are allowed to these pages. Empty: `GET,POST,HEAD`.',
      'response.http.headers.config': 'Rules that add headers to responses, as in Java.',
      'console.enabled': 'Millrace only. Whether the worker serves the console at `/ui`.',
      'rest.allowed.hosts': 'Millrace only. Names by which clients may address this worker; `*` turns the check off.',
      'rest.connections.max':
        'Millrace only. Connections of a listener, of which one address may have half; idle ones are closed for new ones.',
      'rest.body.max.bytes': 'Millrace only. Largest body of a request; 413 beyond.',
      'rest.bodies.in.flight.max.bytes':
        'Millrace only. Bodies of all requests in flight, of which one caller holds at most half of what others leave; 503 beyond.',
    },
  ],
  [
    'Authentication and roles',
    {
      'rest.extension.classes': 'Java’s extension for HTTP Basic; other extensions are Java classes and cannot run.',
      'java.security.auth.login.config': 'JAAS file with the section `KafkaConnect`. In Java a system property.',
      'rest.auth.jwks.url':
        'Millrace only. Where the public keys of the token issuer are; turns bearer tokens on. HTTPS, or this machine.',
      'rest.auth.jwks.file': 'Millrace only. File with the public keys, in place of the URL.',
      'rest.auth.jwt.issuer': 'Millrace only. The exact `iss` claim; required with bearer tokens.',
      'rest.auth.jwt.audience': 'Millrace only. Names of which `aud` must contain one; required with bearer tokens.',
      'rest.auth.jwt.algorithms': 'Millrace only. Signature algorithms that are accepted.',
      'rest.auth.jwt.clock.skew.ms': 'Millrace only. Tolerance for `exp` and `nbf`.',
      'rest.auth.jwt.user.claim': 'Millrace only. Claim with the name of the user.',
      'rest.auth.jwt.roles.claim': 'Millrace only. Claim with the roles; dots lead into objects.',
      'rest.auth.roles.reader': 'Millrace only. Who may read: `user:NAME`, `claim:NAME`, or `*` for all users.',
      'rest.auth.roles.operator': 'Millrace only. Who may also pause, resume, stop and restart.',
      'rest.auth.roles.admin': 'Millrace only. Who may do everything.',
      'rest.auth.open.paths': 'Millrace only. Paths that need no authentication, for probes and scrapers.',
    },
  ],
  [
    'Requests between workers',
    {
      'inter.worker.key.generation.algorithm': 'Algorithm that creates the group’s session key.',
      'inter.worker.key.size': 'Size of the key in bits. (Default: that of the algorithm)',
      'inter.worker.key.ttl.ms': 'How long a key is used before the leader replaces it. 0: always.',
      'inter.worker.signature.algorithm': 'Algorithm that signs requests between workers.',
      'inter.worker.verification.algorithms':
        'Algorithms that are accepted; `inter.worker.signature.algorithm` is one.',
    },
  ],
  [
    'Tasks and offsets',
    {
      'offset.flush.interval.ms': 'How often offsets are committed: the bound on what is sent again after a crash.',
      'offset.flush.timeout.ms': 'How long a commit of offsets may take before it is given up and repeated.',
      'exactly.once.source.support':
        'Whether records of sources and their offsets are written in one transaction. `preparing` is the step between `disabled` and `enabled` in a running group.',
      'task.shutdown.graceful.timeout.ms': 'How long tasks may take to stop before they are abandoned.',
      'topic.creation.enable': 'Whether sources may create topics with `topic.creation.*` of their config.',
      'topic.tracking.enable': 'Whether the topics that a connector uses are recorded.',
      'topic.tracking.allow.reset': 'Whether the recorded topics of a connector may be reset.',
      'task.threads': 'Millrace only. Threads that tasks share. (Default: the number of CPU cores)',
      'task.host': 'Millrace only. `thread`: tasks run in threads; `inline`: in the worker’s main thread, for tests.',
      'task.thread.silence.ms':
        'Millrace only. How long a task thread may be unresponsive before it is terminated. 0: no limit.',
      'errors.restart.max':
        'Millrace only. Consecutive automatic restarts of a failed connector or task. 0: none, as in Java; -1: no limit.',
      'errors.restart.backoff.ms': 'Millrace only. Delay before the first restart; it doubles with each restart.',
      'errors.restart.backoff.max.ms':
        'Millrace only. Longest delay, and how long a task must run for the count to start again.',
      'watchdog.task.ms': 'Millrace only. A call into a task that takes longer is reported as stuck. 0: no limit.',
      'watchdog.task.action': 'Millrace only. What happens to a stuck task: `log` reports it, `restart` restarts it.',
      'watchdog.tick.ms':
        'Millrace only. How long one round of the herder may take before the worker is unhealthy. 0: no limit.',
    },
  ],
  [
    'Metrics',
    {
      'metrics.sample.window.ms': 'Length of a sample of rates, averages and maxima.',
      'metrics.num.samples': 'Number of samples that rates, averages and maxima cover.',
      'metrics.recording.level': 'Java’s level of detail. Accepted, and without effect.',
      'metric.reporters': 'Java classes. Accepted, and without effect: metrics are at `GET /metrics`.',
    },
  ],
];
