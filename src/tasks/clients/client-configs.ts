/**
 * Settings of the Kafka clients of a connector and its tasks. All of them throw ConfigError CLIENT_OVERRIDE_REFUSED.
 * Sources: connect-runtime §4.1, §5.1, §5.8 and Appendix B.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { allowedOverrides, type OverridePolicySettings } from '../../config/client-override-policy';
import type { WorkerConfig } from '../../config/worker-config';
import type { ClientConfig } from '@millrace/kafka-client';
import { taskName } from '../task-id';

/** Retries for ever, one request at a time: a source task waits rather than lose or reorder a record. */
const PRODUCER_DEFAULTS: ClientConfig = {
  acks: 'all',
  'max.in.flight.requests.per.connection': '1',
  'enable.idempotence': 'false',
  'delivery.timeout.ms': '2147483647',
  'max.block.ms': '9223372036854775807',
  // A quarter of Java's: a busy task fills it when Kafka is slower. It is more than the five batches in flight.
  'buffer.memory': '8388608',
};

/** What the clients of a connector take from the worker. */
export type WorkerClientSettings = Pick<WorkerConfig, 'client'> & OverridePolicySettings;

export function sourceProducerConfig(
  worker: WorkerClientSettings,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
): ClientConfig {
  return producerConfig(worker, `connector-producer-${taskName(id)}`, connector);
}

/** As in Java, `enable.idempotence` and `transactional.id` are not the user's to set. */
export function exactlyOnceProducerConfig(
  worker: WorkerClientSettings,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
  transactionalId: string,
): ClientConfig {
  return {
    ...sourceProducerConfig(worker, id, connector),
    'enable.idempotence': 'true',
    'transactional.id': transactionalId,
  };
}

export function deadLetterProducerConfig(
  worker: WorkerClientSettings,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
): ClientConfig {
  return producerConfig(worker, `connector-dlq-producer-${taskName(id)}`, connector);
}

function producerConfig(worker: WorkerClientSettings, clientId: string, connector: ConnectorConfig): ClientConfig {
  return {
    ...PRODUCER_DEFAULTS,
    'client.id': clientId,
    ...worker.client('producer'),
    ...allowedOverrides(worker, 'producer', connector),
  };
}

/** `group`: from the herder, null: `connect-<name>`. `consumer.override.group.id` overrides both. */
export function sinkConsumerConfig(
  worker: WorkerClientSettings,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
  group: string | null,
  maxPollRecords?: number,
): ClientConfig {
  return {
    'auto.offset.reset': 'earliest',
    ...(maxPollRecords !== undefined && { 'max.poll.records': String(maxPollRecords) }),
    'client.id': `connector-consumer-${taskName(id)}`,
    'group.id': group ?? `connect-${id.connector}`,
    ...worker.client('consumer'),
    ...allowedOverrides(worker, 'consumer', connector),
    // Only the task commits offsets.
    'enable.auto.commit': 'false',
  };
}

export function taskAdminConfig(
  worker: WorkerClientSettings,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
): ClientConfig {
  return connectorAdminConfig(worker, taskName(id), connector);
}

export interface OffsetClientConfigs {
  readonly producer: ClientConfig;
  readonly consumer: ClientConfig;
  readonly admin: ClientConfig;
}

/** Clients of a connector's own offsets topic, which is on the cluster that its records are written to. */
export function offsetClientConfigs(
  worker: WorkerClientSettings,
  connector: string,
  config: ConnectorConfig,
): OffsetClientConfigs {
  return {
    producer: producerConfig(worker, `connector-offset-producer-${connector}`, config),
    consumer: {
      'client.id': `connector-offset-consumer-${connector}`,
      'isolation.level': 'read_committed',
      ...worker.client('consumer'),
      ...allowedOverrides(worker, 'consumer', config),
    },
    admin: connectorAdminConfig(worker, connector, config),
  };
}

/** Reads the connector's records and dead letters, and sends these back, with the settings of its tasks. */
export function requestClientConfigs(
  worker: WorkerClientSettings,
  connector: string,
  config: ConnectorConfig,
): OffsetClientConfigs {
  return {
    producer: {
      'client.id': `connector-dlq-replay-${connector}`,
      ...worker.client('producer'),
      ...allowedOverrides(worker, 'producer', config),
      acks: 'all',
      'enable.idempotence': 'true',
      // A topic that was deleted is not created again.
      'allow.auto.create.topics': 'false',
      'max.block.ms': '15000',
    },
    consumer: {
      'client.id': `connector-topic-reader-${connector}`,
      ...worker.client('consumer'),
      ...allowedOverrides(worker, 'consumer', config),
      'isolation.level': 'read_committed',
      // Many partitions together.
      'fetch.max.bytes': '8388608',
    },
    admin: connectorAdminConfig(worker, connector, config),
  };
}

/** Fences the connector's earlier tasks. */
export function fencingAdminConfig(
  worker: WorkerClientSettings,
  connector: string,
  config: ConnectorConfig,
): ClientConfig {
  const clientId = `connector-worker-adminclient-${connector}`;
  return { 'client.id': clientId, ...worker.client('admin'), ...allowedOverrides(worker, 'admin', config) };
}

/** `name`: of the connector, or of one of its tasks. */
export function connectorAdminConfig(
  worker: WorkerClientSettings,
  name: string,
  connector: ConnectorConfig,
): ClientConfig {
  return {
    'client.id': `connector-adminclient-${name}`,
    ...worker.client('admin'),
    ...allowedOverrides(worker, 'admin', connector),
  };
}
