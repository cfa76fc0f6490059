/** All settings of Kafka 4.3.1's clients by kind: names, types and defaults; the words are ours. */
import type { ConfigKey } from '@millrace/sdk';
import { key } from './client-key';
import { COMMON_KEYS } from './common-keys';
import { SECURITY_KEYS } from './security-keys';

const PRODUCER_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', undefined, 'Brokers to connect to first, as host:port.'),
  key('buffer.memory', 'LONG', 'HIGH', 33554432, 'Bytes of records that may wait to be sent.'),
  key('retries', 'INT', 'HIGH', 2147483647, 'How often a failed request is sent again; the time-outs end it sooner.'),
  key('acks', 'STRING', 'LOW', 'all', 'Replicas that must have a record before it counts as written: 0, 1 or all.'),
  key('compression.type', 'STRING', 'HIGH', 'none', 'none, gzip, snappy, lz4 or zstd.'),
  key('compression.gzip.level', 'INT', 'MEDIUM', -1, 'Level of gzip, 1 to 9, or -1 for its default.'),
  key('compression.lz4.level', 'INT', 'MEDIUM', 9, 'Level of lz4, 1 to 17.'),
  key('compression.zstd.level', 'INT', 'MEDIUM', 3, 'Level of zstd, -131072 to 22.'),
  key('batch.size', 'INT', 'MEDIUM', 16384, 'Bytes that one batch of a partition may hold.'),
  key('partitioner.adaptive.partitioning.enable', 'BOOLEAN', 'LOW', true, 'Send more to brokers that answer faster.'),
  key(
    'partitioner.availability.timeout.ms',
    'LONG',
    'LOW',
    0,
    'Leave out partitions whose broker takes longer than this; 0: never.',
  ),
  key('partitioner.ignore.keys', 'BOOLEAN', 'MEDIUM', false, 'Choose the partition without looking at the key.'),
  key('linger.ms', 'LONG', 'MEDIUM', 5, 'How long a batch waits for more records.'),
  key('delivery.timeout.ms', 'INT', 'MEDIUM', 120000, 'How long a record may take to be written, retries included.'),
  key('client.id', 'STRING', 'MEDIUM', '', 'Name of the client in the logs and quotas of the brokers.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 32768, "Size of the socket's receive buffer; -1: the system's."),
  key('max.request.size', 'INT', 'MEDIUM', 1048576, 'Bytes that one request, and so one record, may have.'),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', true, 'Send metrics of the client to the brokers that ask for them.'),
  key('max.block.ms', 'LONG', 'MEDIUM', 60000, 'How long sending may wait for metadata or for room in the buffer.'),
  key('metadata.max.idle.ms', 'LONG', 'LOW', 300000, 'A topic that is not written to is forgotten after this.'),
  key('max.in.flight.requests.per.connection', 'INT', 'LOW', 5, 'Requests that are sent before the first is answered.'),
  key('key.serializer', 'CLASS', 'HIGH', undefined, 'Class that turns keys into bytes.'),
  key('value.serializer', 'CLASS', 'HIGH', undefined, 'Class that turns values into bytes.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 540000, 'An idle connection is closed after this.'),
  key('partitioner.class', 'CLASS', 'MEDIUM', null, 'Class that chooses the partition.'),
  key('interceptor.classes', 'LIST', 'LOW', [], 'Classes that see each record.'),
  key('enable.idempotence', 'BOOLEAN', 'LOW', true, 'Let the brokers drop records that were sent twice.'),
  key('transaction.timeout.ms', 'INT', 'LOW', 60000, 'An open transaction is aborted after this.'),
  key('transactional.id', 'STRING', 'LOW', null, 'Name that transactions are made under.'),
  key(
    'transaction.two.phase.commit.enable',
    'BOOLEAN',
    'LOW',
    false,
    'Take part in transactions that are coordinated elsewhere.',
  ),
];

const CONSUMER_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', undefined, 'Brokers to connect to first, as host:port.'),
  key('client.id', 'STRING', 'LOW', '', 'Name of the client in the logs and quotas of the brokers.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 65536, "Size of the socket's receive buffer; -1: the system's."),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', true, 'Send metrics of the client to the brokers that ask for them.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 540000, 'An idle connection is closed after this.'),
  key('interceptor.classes', 'LIST', 'LOW', [], 'Classes that see each record.'),
  key('group.id', 'STRING', 'HIGH', null, 'Consumer group.'),
  key('group.instance.id', 'STRING', 'MEDIUM', null, 'Name of a static member of the group.'),
  key('session.timeout.ms', 'INT', 'HIGH', 45000, 'A member that is not heard of for so long is gone.'),
  key('heartbeat.interval.ms', 'INT', 'HIGH', 3000, 'Time between two heartbeats.'),
  key(
    'partition.assignment.strategy',
    'LIST',
    'MEDIUM',
    [
      'class org.apache.kafka.clients.consumer.RangeAssignor',
      'class org.apache.kafka.clients.consumer.CooperativeStickyAssignor',
    ],
    'Classes that divide partitions among members, in order of preference.',
  ),
  key('enable.auto.commit', 'BOOLEAN', 'MEDIUM', true, 'Commit offsets at intervals. Tasks commit them themselves.'),
  key('auto.commit.interval.ms', 'INT', 'LOW', 5000, 'Time between such commits.'),
  key('client.rack', 'STRING', 'LOW', '', 'Where the client is, so that it can read from a replica nearby.'),
  key('max.partition.fetch.bytes', 'INT', 'HIGH', 1048576, 'Bytes of one partition in an answer.'),
  key('fetch.min.bytes', 'INT', 'HIGH', 1, 'Bytes that an answer waits for.'),
  key('fetch.max.bytes', 'INT', 'MEDIUM', 52428800, 'Bytes of an answer.'),
  key('fetch.max.wait.ms', 'INT', 'LOW', 500, 'How long an answer may wait for fetch.min.bytes.'),
  key(
    'auto.offset.reset',
    'STRING',
    'MEDIUM',
    'latest',
    'Where to begin without a committed offset: earliest, latest, none or by_duration.',
  ),
  key('check.crcs', 'BOOLEAN', 'LOW', true, 'Check the checksums of what is read.'),
  key('key.deserializer', 'CLASS', 'HIGH', undefined, 'Class that reads keys.'),
  key('value.deserializer', 'CLASS', 'HIGH', undefined, 'Class that reads values.'),
  key('default.api.timeout.ms', 'INT', 'MEDIUM', 60000, 'How long a call may take, retries included.'),
  key('max.poll.records', 'INT', 'MEDIUM', 500, 'Records that one poll returns.'),
  key('max.poll.interval.ms', 'INT', 'MEDIUM', 300000, 'A member that does not poll for so long leaves the group.'),
  key('exclude.internal.topics', 'BOOLEAN', 'MEDIUM', true, 'Leave internal topics out of a pattern.'),
  key('internal.throw.on.fetch.stable.offset.unsupported', 'BOOLEAN', 'LOW', false, 'Internal to the client.'),
  key('isolation.level', 'STRING', 'MEDIUM', 'read_uncommitted', 'read_uncommitted or read_committed.'),
  key('allow.auto.create.topics', 'BOOLEAN', 'MEDIUM', true, 'Let the brokers create topics that are read.'),
  key('group.protocol', 'STRING', 'HIGH', 'classic', 'classic or consumer.'),
  key('group.remote.assignor', 'STRING', 'MEDIUM', null, 'Assignor of the brokers, for the consumer protocol.'),
  key('share.acknowledgement.mode', 'STRING', 'MEDIUM', 'implicit', 'implicit or explicit, for share groups.'),
  key('share.acquire.mode', 'STRING', 'MEDIUM', 'BATCH_OPTIMIZED', 'How records are acquired, for share groups.'),
];

const ADMIN_KEYS = [
  key('bootstrap.servers', 'LIST', 'HIGH', [], 'Brokers to connect to first, as host:port.'),
  key('retries', 'INT', 'LOW', 2147483647, 'How often a failed request is sent again; the time-outs end it sooner.'),
  key('client.id', 'STRING', 'MEDIUM', '', 'Name of the client in the logs and quotas of the brokers.'),
  key('receive.buffer.bytes', 'INT', 'MEDIUM', 65536, "Size of the socket's receive buffer; -1: the system's."),
  key('enable.metrics.push', 'BOOLEAN', 'LOW', false, 'Send metrics of the client to the brokers that ask for them.'),
  key('connections.max.idle.ms', 'LONG', 'MEDIUM', 300000, 'An idle connection is closed after this.'),
  key('default.api.timeout.ms', 'INT', 'MEDIUM', 60000, 'How long a call may take, retries included.'),
  key('bootstrap.controllers', 'LIST', 'HIGH', [], 'Controllers to connect to instead of brokers, as host:port.'),
];

const byName = (own: readonly ConfigKey[]): ReadonlyMap<string, ConfigKey> =>
  new Map([...COMMON_KEYS, ...SECURITY_KEYS, ...own].map((one) => [one.name, one]));

export const CLIENT_KEYS = {
  producer: byName(PRODUCER_KEYS),
  consumer: byName(CONSUMER_KEYS),
  admin: byName(ADMIN_KEYS),
} as const;
