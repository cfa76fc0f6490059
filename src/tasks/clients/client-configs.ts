/** Settings of a task's own Kafka clients. Sources: connect-runtime §4.1, §5.1, §5.8 and Appendix B. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { withoutPrefix } from '../../config/client-config';
import type { WorkerConfig } from '../../config/worker-config';
import type { ClientConfig } from '../../kafka/port';
import { taskName } from '../task-id';

/** Retries for ever, one request at a time: a source task waits rather than lose or reorder a record. */
const PRODUCER_DEFAULTS: ClientConfig = {
  acks: 'all',
  'max.in.flight.requests.per.connection': '1',
  'enable.idempotence': 'false',
  'delivery.timeout.ms': '2147483647',
  'max.block.ms': '9223372036854775807',
  // Half of Java's: a busy task fills it when Kafka is slower, and a worker must stay under 200 MB.
  'buffer.memory': '16777216',
};

type Worker = Pick<WorkerConfig, 'client'>;

export function sourceProducerConfig(worker: Worker, id: ConnectorTaskId, connector: ConnectorConfig): ClientConfig {
  return producerConfig(worker, `connector-producer-${taskName(id)}`, connector);
}

/** As in Java, `enable.idempotence` and `transactional.id` are not the user's to set. */
export function exactlyOnceProducerConfig(
  worker: Worker,
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
  worker: Worker,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
): ClientConfig {
  return producerConfig(worker, `connector-dlq-producer-${taskName(id)}`, connector);
}

function producerConfig(worker: Worker, clientId: string, connector: ConnectorConfig): ClientConfig {
  return {
    ...PRODUCER_DEFAULTS,
    'client.id': clientId,
    ...worker.client('producer'),
    ...withoutPrefix(connector, 'producer.override.'),
  };
}

/** `group`: from the herder, null: `connect-<name>`. `consumer.override.group.id` overrides both. */
export function sinkConsumerConfig(
  worker: Worker,
  id: ConnectorTaskId,
  connector: ConnectorConfig,
  group: string | null,
): ClientConfig {
  return {
    'auto.offset.reset': 'earliest',
    'client.id': `connector-consumer-${taskName(id)}`,
    'group.id': group ?? `connect-${id.connector}`,
    ...worker.client('consumer'),
    ...withoutPrefix(connector, 'consumer.override.'),
    // Only the task commits offsets.
    'enable.auto.commit': 'false',
  };
}

export function taskAdminConfig(worker: Worker, id: ConnectorTaskId, connector: ConnectorConfig): ClientConfig {
  return connectorAdminConfig(worker, taskName(id), connector);
}

export interface OffsetClientConfigs {
  readonly producer: ClientConfig;
  readonly consumer: ClientConfig;
  readonly admin: ClientConfig;
}

/** Clients of a connector's own offsets topic, which is on the cluster that its records are written to. */
export function offsetClientConfigs(worker: Worker, connector: string, config: ConnectorConfig): OffsetClientConfigs {
  return {
    producer: producerConfig(worker, `connector-offset-producer-${connector}`, config),
    consumer: {
      'client.id': `connector-offset-consumer-${connector}`,
      'isolation.level': 'read_committed',
      ...worker.client('consumer'),
      ...withoutPrefix(config, 'consumer.override.'),
    },
    admin: connectorAdminConfig(worker, connector, config),
  };
}

/** Reads the connector's dead letters, and sends them back, with the settings of its tasks. */
export function deadLetterClientConfigs(
  worker: Worker,
  connector: string,
  config: ConnectorConfig,
): OffsetClientConfigs {
  return {
    producer: {
      'client.id': `connector-dlq-replay-${connector}`,
      ...worker.client('producer'),
      ...withoutPrefix(config, 'producer.override.'),
      acks: 'all',
      'enable.idempotence': 'true',
      // A topic that was deleted is not created again.
      'allow.auto.create.topics': 'false',
      'max.block.ms': '15000',
    },
    consumer: {
      'client.id': `connector-dlq-reader-${connector}`,
      ...worker.client('consumer'),
      ...withoutPrefix(config, 'consumer.override.'),
      'isolation.level': 'read_committed',
    },
    admin: connectorAdminConfig(worker, connector, config),
  };
}

/** Fences the connector's earlier tasks. */
export function fencingAdminConfig(worker: Worker, connector: string, config: ConnectorConfig): ClientConfig {
  const clientId = `connector-worker-adminclient-${connector}`;
  return { 'client.id': clientId, ...worker.client('admin'), ...withoutPrefix(config, 'admin.override.') };
}

/** `name`: of the connector, or of one of its tasks. */
export function connectorAdminConfig(worker: Worker, name: string, connector: ConnectorConfig): ClientConfig {
  return {
    'client.id': `connector-adminclient-${name}`,
    ...worker.client('admin'),
    ...withoutPrefix(connector, 'admin.override.'),
  };
}
