/** Which readers of the storage topics skip aborted transactions. Source: connect-runtime §1.1. */
import { createStorage, type HerderStorageOptions } from '../../src/cluster/herder-context';
import { parseWorkerConfig } from '../../src/config/worker-config';
import type { KafkaClients } from '../../packages/kafka-client/src/port';
import { silentLogger } from '../../src/logging/logger';
import { MemoryKafka } from './memory-kafka';

const SETTINGS = {
  'bootstrap.servers': 'localhost:1',
  'group.id': 'g',
  'config.storage.topic': 'configs',
  'offset.storage.topic': 'offsets',
  'status.storage.topic': 'statuses',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
};

test.each([
  ['disabled', ['g-offsets']],
  ['preparing', ['g-offsets']],
  ['enabled', ['g-offsets', 'g-configs']],
])('exactly.once.source.support=%s: committed records only are read by %p', (support, expected) => {
  const kafka = new MemoryKafka();
  const readers: Readonly<Record<string, string>>[] = [];
  const clients: Pick<KafkaClients, 'producer' | 'assignedConsumer'> = {
    producer: () => kafka.producer(),
    assignedConsumer: (config) => {
      readers.push(config);
      return kafka.assignedConsumer();
    },
  };
  createStorage({
    config: parseWorkerConfig({ ...SETTINGS, 'exactly.once.source.support': support }),
    clients,
    permissions: {},
    logger: silentLogger,
  } as unknown as HerderStorageOptions);
  expect(readers).toHaveLength(3);
  const committed = readers.filter((reader) => reader['isolation.level'] === 'read_committed');
  expect(committed.map((reader) => reader['client.id'])).toEqual(expected);
});
