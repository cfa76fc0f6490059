/**
 * All settings of Kafka 4.3.1's clients by kind. Names, types and defaults are Kafka's, the documentation is
 * Millrace's.
 */
import type { ConfigKey } from '@millrace/sdk';
import { key } from './client-key';
import { COMMON_KEYS } from './common-keys';
import { SECURITY_KEYS } from './security-keys';

const PRODUCER_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', undefined, 'Initial brokers, as host:port.'),
  key('buffer.memory', 'LONG', 'HIGH', 33554432, 'Memory for records that wait to be sent, in bytes.'),
  key('retries', 'INT', 'HIGH', 2147483647, 'Maximum number of retries of a request, limited by the timeouts.'),
  key(
    'acks',
    'STRING',
    'LOW',
    'all',
    'Acknowledgements that complete a write: 0, 1 (the leader) or all (in-sync replicas).',
  ),
  key('compression.type', 'STRING', 'HIGH', 'none', 'Compression codec: none, gzip, snappy, lz4 or zstd.'),
  key('compression.gzip.level', 'INT', 'MEDIUM', -1, 'Compression level of gzip: 1 to 9, or -1 for the default.'),
  key('compression.lz4.level', 'INT', 'MEDIUM', 9, 'Compression level of lz4: 1 to 17.'),
  key('compression.zstd.level', 'INT', 'MEDIUM', 3, 'Compression level of zstd: -131072 to 22.'),
  key('batch.size', 'INT', 'MEDIUM', 16384, 'Maximum batch size per partition, in bytes.'),
  key('partitioner.adaptive.partitioning.enable', 'BOOLEAN', 'LOW', true, 'Send more records to faster brokers.'),
  key(
    'partitioner.availability.timeout.ms',
    'LONG',
    'LOW',
    0,
    'Skip partitions whose broker is slower than this; 0: never.',
  ),
  key('partitioner.ignore.keys', 'BOOLEAN', 'MEDIUM', false, 'Ignore the record key when choosing the partition.'),
  key('linger.ms', 'LONG', 'MEDIUM', 5, 'How long a batch waits for more records.'),
  key(
    'delivery.timeout.ms',
    'INT',
    'MEDIUM',
    120000,
    'Maximum time until a record is acknowledged, including retries.',
  ),
  key('client.id', 'STRING', 'MEDIUM', '', 'Name of the client in broker logs and quotas.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 32768, "Size of the socket's receive buffer; -1: the system's."),
  key('max.request.size', 'INT', 'MEDIUM', 1048576, 'Maximum size of a request, and so of a record, in bytes.'),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', true, 'Push client metrics to brokers that request them.'),
  key('max.block.ms', 'LONG', 'MEDIUM', 60000, 'How long a send may block on metadata or a full buffer.'),
  key('metadata.max.idle.ms', 'LONG', 'LOW', 300000, 'How long metadata of an idle topic is cached.'),
  key('max.in.flight.requests.per.connection', 'INT', 'LOW', 5, 'Maximum unacknowledged requests per connection.'),
  key('key.serializer', 'CLASS', 'HIGH', undefined, 'Serializer class of keys.'),
  key('value.serializer', 'CLASS', 'HIGH', undefined, 'Serializer class of values.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 540000, 'Idle time after which a connection is closed.'),
  key('partitioner.class', 'CLASS', 'MEDIUM', null, 'Partitioner class.'),
  key('interceptor.classes', 'LIST', 'LOW', [], 'Interceptor classes.'),
  key('enable.idempotence', 'BOOLEAN', 'LOW', true, 'Let brokers discard duplicates of retried batches.'),
  key('transaction.timeout.ms', 'INT', 'LOW', 60000, 'Time after which an open transaction is aborted.'),
  key('transactional.id', 'STRING', 'LOW', null, 'Identifies the producer across restarts, for transactions.'),
  key(
    'transaction.two.phase.commit.enable',
    'BOOLEAN',
    'LOW',
    false,
    'Participate in transactions with an external coordinator (two-phase commit).',
  ),
];

const CONSUMER_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', undefined, 'Initial brokers, as host:port.'),
  key('client.id', 'STRING', 'LOW', '', 'Name of the client in broker logs and quotas.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 65536, "Size of the socket's receive buffer; -1: the system's."),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', true, 'Push client metrics to brokers that request them.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 540000, 'Idle time after which a connection is closed.'),
  key('interceptor.classes', 'LIST', 'LOW', [], 'Interceptor classes.'),
  key('group.id', 'STRING', 'HIGH', null, 'Consumer group.'),
  key('group.instance.id', 'STRING', 'MEDIUM', null, 'Id of a static group member.'),
  key('session.timeout.ms', 'INT', 'HIGH', 45000, 'Time without heartbeats after which a member is removed.'),
  key('heartbeat.interval.ms', 'INT', 'HIGH', 3000, 'Time between heartbeats.'),
  key(
    'partition.assignment.strategy',
    'LIST',
    'MEDIUM',
    [
      'class org.apache.kafka.clients.consumer.RangeAssignor',
      'class org.apache.kafka.clients.consumer.CooperativeStickyAssignor',
    ],
    'Assignor classes, in order of preference.',
  ),
  key('enable.auto.commit', 'BOOLEAN', 'MEDIUM', true, 'Commit offsets periodically. Tasks commit their own offsets.'),
  key('auto.commit.interval.ms', 'INT', 'LOW', 5000, 'Time between automatic commits.'),
  key('client.rack', 'STRING', 'LOW', '', 'Rack of the client, for fetching from the closest replica.'),
  key('max.partition.fetch.bytes', 'INT', 'HIGH', 1048576, 'Maximum bytes per partition in a fetch response.'),
  key('fetch.min.bytes', 'INT', 'HIGH', 1, 'Minimum bytes in a fetch response.'),
  key('fetch.max.bytes', 'INT', 'MEDIUM', 52428800, 'Maximum bytes in a fetch response.'),
  key('fetch.max.wait.ms', 'INT', 'LOW', 500, 'Maximum wait for fetch.min.bytes.'),
  key(
    'auto.offset.reset',
    'STRING',
    'MEDIUM',
    'latest',
    'Where to start without a committed offset: earliest, latest, none or by_duration.',
  ),
  key('check.crcs', 'BOOLEAN', 'LOW', true, 'Verify checksums of fetched records.'),
  key('key.deserializer', 'CLASS', 'HIGH', undefined, 'Deserializer class of keys.'),
  key('value.deserializer', 'CLASS', 'HIGH', undefined, 'Deserializer class of values.'),
  key('default.api.timeout.ms', 'INT', 'MEDIUM', 60000, 'Timeout of a call, including retries.'),
  key('max.poll.records', 'INT', 'MEDIUM', 500, 'Maximum number of records per poll.'),
  key('max.poll.interval.ms', 'INT', 'MEDIUM', 300000, 'Time without a poll after which a member leaves the group.'),
  key('exclude.internal.topics', 'BOOLEAN', 'MEDIUM', true, 'Exclude internal topics from pattern subscriptions.'),
  key('internal.throw.on.fetch.stable.offset.unsupported', 'BOOLEAN', 'LOW', false, 'Internal to the client.'),
  key(
    'isolation.level',
    'STRING',
    'MEDIUM',
    'read_uncommitted',
    'Transactional reads: read_uncommitted or read_committed.',
  ),
  key('allow.auto.create.topics', 'BOOLEAN', 'MEDIUM', true, 'Let brokers create missing topics on subscription.'),
  key('group.protocol', 'STRING', 'HIGH', 'classic', 'Group protocol: classic or consumer.'),
  key('group.remote.assignor', 'STRING', 'MEDIUM', null, 'Server-side assignor of the consumer protocol.'),
  key(
    'share.acknowledgement.mode',
    'STRING',
    'MEDIUM',
    'implicit',
    'Acknowledgement in share groups: implicit or explicit.',
  ),
  key('share.acquire.mode', 'STRING', 'MEDIUM', 'BATCH_OPTIMIZED', 'How share groups acquire records.'),
];

const ADMIN_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', [], 'Initial brokers, as host:port.'),
  key('retries', 'INT', 'LOW', 2147483647, 'Maximum number of retries of a request, limited by the timeouts.'),
  key('client.id', 'STRING', 'MEDIUM', '', 'Name of the client in broker logs and quotas.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 65536, "Size of the socket's receive buffer; -1: the system's."),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', false, 'Push client metrics to brokers that request them.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 300000, 'Idle time after which a connection is closed.'),
  key('default.api.timeout.ms', 'INT', 'MEDIUM', 60000, 'Timeout of a call, including retries.'),
  key('bootstrap.controllers', 'LIST', 'HIGH', [], 'Controllers to connect to instead of brokers, as host:port.'),
];

const byName = (own: readonly ConfigKey[]): ReadonlyMap<string, ConfigKey> =>
  new Map([...COMMON_KEYS, ...SECURITY_KEYS, ...own].map((definition) => [definition.name, definition]));

export const CLIENT_KEYS = {
  producer: byName(PRODUCER_KEYS),
  consumer: byName(CONSUMER_KEYS),
  admin: byName(ADMIN_KEYS),
} as const;
