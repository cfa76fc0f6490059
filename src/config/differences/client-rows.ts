/**
 * Settings of Java's Kafka clients that work differently here, without their prefix. What a client reads is in
 * packages/kafka-client; a test compares both. Sources: kafka-client §3, Kafka's documentation of its clients.
 */
import { CLIENT_KEYS } from '../client-keys';
import { renderConfigValue } from '../config-parse';
import { differenceOf, type Difference, type DifferenceRow } from './difference';

type Settings = Readonly<Record<string, string>>;
export type TaskClient = keyof typeof CLIENT_KEYS;

const JAVA_CLASS = 'It names a Java class, which cannot run here.';
const OPENSSL = 'It configures the TLS of a JVM; here it is that of Node.js.';
const METRICS = 'Metrics are at GET /metrics.';
const TOKENS = 'Tokens are requested with client credentials.';
const isMechanism =
  (name: string) =>
  ({ 'sasl.mechanism': mechanism = '', 'security.protocol': protocol = '' }: Settings): boolean =>
    mechanism.trim().toUpperCase() === name && /^SASL_/i.test(protocol.trim());
const withTls = ({ 'security.protocol': protocol = '' }: Settings): boolean => /SSL$/i.test(protocol.trim());

export const CONFLUENT_CLIENT_ROW: DifferenceRow = {
  key: /^confluent\.|^interceptor\.bootstrap\.servers$/,
  kind: 'ignored',
  message: 'It configures Java classes of Confluent, which cannot run here.',
};

const COMMON: readonly DifferenceRow[] = [
  {
    key: 'client.dns.lookup',
    kind: 'ignored',
    message: 'The addresses of bootstrap.servers are used as they are written.',
    same: ['use_all_dns_ips'],
  },
  {
    key: /^(?:send|receive)\.buffer\.bytes$/,
    kind: 'ignored',
    message: 'The operating system chooses the buffers of sockets.',
    same: ['-1'],
  },
  {
    key: 'socket.connection.setup.timeout.max.ms',
    kind: 'ignored',
    message: 'The timeout for opening a connection does not grow.',
    instead: 'Set socket.connection.setup.timeout.ms.',
  },
  {
    key: /^metadata\.recovery\./,
    kind: 'ignored',
    message: 'When no known broker answers, the clients always try bootstrap.servers again.',
    same: ['rebootstrap'],
  },
  { key: 'metadata.max.idle.ms', kind: 'ignored', message: 'Metadata is refreshed as metadata.max.age.ms says.' },
  {
    key: /^metric\.reporters$|^auto\.include\.jmx\.reporter$|^metrics\.(?:recording\.level|context\.)/,
    kind: 'ignored',
    message: METRICS,
  },
  {
    key: /^metrics\.(?:sample\.window\.ms|num\.samples)$/,
    kind: 'ignored',
    message: 'The metrics of all clients have the windows of the worker.',
    instead: 'Set the key without a prefix in the worker settings.',
  },
  {
    key: 'enable.metrics.push',
    kind: 'ignored',
    message: `Clients push no metrics to brokers. ${METRICS}`,
    same: ['false'],
  },
  {
    key: /^config\.providers(?:\.|$)/,
    kind: 'ignored',
    message: 'Placeholders are replaced by the config providers of the worker.',
  },
  {
    key: 'ssl.engine.factory.class',
    kind: 'rejected',
    message: JAVA_CLASS,
    instead: 'Set ssl.keystore.* and ssl.truststore.*, with PEM or PKCS12 files.',
    when: withTls,
  },
  { key: 'ssl.engine.factory.class', kind: 'ignored', message: JAVA_CLASS },
  {
    key: 'security.providers',
    kind: 'ignored',
    message: JAVA_CLASS,
    instead: 'The algorithms of TLS and SASL are those of Node.js (OpenSSL).',
  },
  {
    key: /^ssl\.(?:provider|secure\.random\.implementation|(?:key|trust)manager\.algorithm)$/,
    kind: 'ignored',
    message: OPENSSL,
    same: ['sunx509', 'pkix'],
  },
  {
    key: /^ssl\.(?:key|trust)store\.type$/,
    kind: 'changed',
    message: 'The format of a store is read from its content: PEM or PKCS12. JKS is rejected.',
    instead: 'Convert a JKS store with keytool -importkeystore -deststoretype PKCS12.',
    same: ['pem', 'pkcs12'],
  },
  {
    key: 'sasl.mechanism',
    kind: 'rejected',
    message: 'IAM authentication of Amazon MSK is a Java library, which cannot run here.',
    instead: 'Use SCRAM-SHA-512 or TLS client certificates, which MSK offers, too.',
    when: isMechanism('AWS_MSK_IAM'),
  },
  {
    key: 'sasl.mechanism',
    kind: 'rejected',
    message: 'Kerberos is not supported.',
    instead: 'Use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER.',
    when: isMechanism('GSSAPI'),
  },
  { key: /^sasl\.kerberos\./, kind: 'ignored', message: 'Kerberos is not supported.' },
  { key: /^sasl\.(?:client\.callback\.handler|login)\.class$/, kind: 'ignored', message: JAVA_CLASS },
  {
    key: /^sasl\.login\.refresh\./,
    kind: 'ignored',
    message: 'A token is renewed after 80 % of its lifetime.',
  },
  {
    key: /^sasl\.login\.(?:connect\.timeout|retry\.backoff(?:\.max)?)\.ms$/,
    kind: 'ignored',
    message: 'A request for a token is limited by sasl.login.read.timeout.ms, and repeated as other requests are.',
  },
  {
    key: /^sasl\.oauthbearer\.(?:jwt|assertion)\./,
    kind: 'ignored',
    message: TOKENS,
    instead: 'Set sasl.oauthbearer.token.endpoint.url, and clientId and clientSecret in sasl.jaas.config.',
    same: [
      'org.apache.kafka.common.security.oauthbearer.defaultjwtretriever',
      'org.apache.kafka.common.security.oauthbearer.defaultjwtvalidator',
      'org.apache.kafka.common.security.oauthbearer.clientcredentialsjwtretriever',
    ],
  },
  {
    key: /^sasl\.oauthbearer\.(?:jwks\.|clock\.skew|expected\.|(?:scope|sub)\.claim|header\.urlencode)/,
    kind: 'ignored',
    message: 'Brokers check the token; the client does not.',
    same: ['false'],
  },
  CONFLUENT_CLIENT_ROW,
];

const INTERCEPTORS: DifferenceRow = {
  key: 'interceptor.classes',
  kind: 'ignored',
  message: 'Interceptors are Java classes, which cannot run here.',
  instead: METRICS,
};

const OWN: Readonly<Record<TaskClient, readonly DifferenceRow[]>> = {
  producer: [
    INTERCEPTORS,
    {
      key: 'partitioner.class',
      kind: 'ignored',
      message:
        'Partitioners are Java classes, which cannot run here: a record goes to the partition of the hash of its key, as with Kafka’s default partitioner, and records without a key share batches.',
      instead: 'Set the partition in a transformation or in the source.',
    },
    {
      key: 'partitioner.ignore.keys',
      kind: 'ignored',
      message: 'Records with a key always go to the partition of its hash.',
    },
    {
      key: /^partitioner\.(?:adaptive\.partitioning\.enable|availability\.timeout\.ms)$/,
      kind: 'ignored',
      message: 'Records without a key go to one partition after the other, whatever the speed of their brokers.',
    },
    { key: /^(?:key|value)\.serializer$/, kind: 'ignored', message: 'Converters write the bytes of records.' },
    {
      key: 'transaction.two.phase.commit.enable',
      kind: 'ignored',
      message: 'Transactions are Kafka’s own.',
    },
  ],
  consumer: [
    INTERCEPTORS,
    {
      key: 'client.rack',
      kind: 'ignored',
      message: 'Records are fetched from the leaders of partitions, not from the closest replica.',
    },
    {
      key: /^group\.(?:protocol|remote\.assignor)$/,
      kind: 'ignored',
      message: 'Sinks use the classic group protocol.',
    },
    {
      key: /^(?:enable\.auto\.commit|auto\.commit\.interval\.ms)$/,
      kind: 'ignored',
      message: 'Only the task commits offsets.',
      same: ['false'],
    },
    { key: /^(?:key|value)\.deserializer$/, kind: 'ignored', message: 'Converters read the bytes of records.' },
    { key: /^(?:exclude\.internal\.topics|internal\.|share\.)/, kind: 'ignored', message: 'Sinks do not read it.' },
  ],
  admin: [
    {
      key: 'bootstrap.controllers',
      kind: 'ignored',
      message: 'Clients connect to the brokers of bootstrap.servers.',
    },
  ],
};

/** Kafka's default asks for what happens anyway, except for what names a format or a class of Java. */
const NAMED_ALWAYS = /^(?:metric\.reporters|ssl\.(?:key|trust)store\.type|sasl\.mechanism)$/;

function isDefault(client: TaskClient, name: string, value: string): boolean {
  const known = CLIENT_KEYS[client].get(name);
  if (known === undefined || NAMED_ALWAYS.test(name)) return false;
  return renderConfigValue(known.type, known.default)?.toLowerCase() === value.trim().toLowerCase();
}

/**
 * One setting of a client. Null: it has the same effect as in Java.
 * @param settings of the client, without the prefix
 * @param prefix before the key, e.g. `producer.override.`
 */
export function clientDifference(
  client: TaskClient,
  name: string,
  settings: Settings,
  prefix: string,
): Difference | null {
  if (isDefault(client, name, settings[name] ?? '')) return null;
  return differenceOf([...OWN[client], ...COMMON], name, settings, prefix);
}
