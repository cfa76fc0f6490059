/**
 * Exactly-once tasks on a cluster with faults at random moments; every task that fails may restart. Other runs:
 * `FAULT_SEED=3 FAULT_ROUNDS=100`.
 */
import type { SourceRecord, SourceTask, SourceTaskContext } from '@millrace/sdk';
import { startEmbeddedBroker, type EmbeddedBroker, type ErrorName } from '@millrace/embedded';
import { OffsetStores } from '../../../src/cluster/offsets/offset-stores';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { createKafkaClients } from '../../../src/kafka/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { seeded } from '../../helpers/seeded';
import { waitFor } from '../../helpers/wait-for';
import { RecordingListener, sourceOf, spec, world } from '../fakes';

const PARTITION = { counter: 'one' };
const TOPIC = 'out';
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 8);
const clients = createKafkaClients(silentLogger);
let broker: EmbeddedBroker;

beforeAll(async () => {
  broker = await startEmbeddedBroker({ log: () => undefined });
});
afterAll(async () => await broker?.stop());

class Counter implements SourceTask {
  private n = 0;
  async start(_config: unknown, context: SourceTaskContext): Promise<void> {
    this.n = Number((await context.offsets.offset(PARTITION))?.n ?? 0);
  }
  async poll(): Promise<SourceRecord[]> {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return Array.from({ length: 10 }, () => this.next());
  }
  stop(): void {}
  private next(): SourceRecord {
    const n = ++this.n;
    const common = { sourcePartition: PARTITION, sourceOffset: { n }, topic: TOPIC };
    return { ...common, keySchema: null, key: null, valueSchema: null, value: `v${n}` };
  }
}

const ERRORS: Record<string, readonly ErrorName[]> = {
  Produce: ['NOT_LEADER_OR_FOLLOWER', 'NOT_ENOUGH_REPLICAS', 'INVALID_PRODUCER_EPOCH', 'INVALID_TXN_STATE'],
  AddPartitionsToTxn: ['CONCURRENT_TRANSACTIONS', 'NOT_COORDINATOR', 'INVALID_PRODUCER_ID_MAPPING', 'PRODUCER_FENCED'],
  EndTxn: ['COORDINATOR_LOAD_IN_PROGRESS', 'NOT_COORDINATOR', 'INVALID_PRODUCER_EPOCH', 'INVALID_TXN_STATE'],
  InitProducerId: ['CONCURRENT_TRANSACTIONS', 'COORDINATOR_NOT_AVAILABLE'],
};

/** One fault of the next requests. */
function strike(random: () => number): string {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const api = pick(Object.keys(ERRORS));
  const { faults } = broker;
  const options = { clientId: 'connector-producer', times: 1 + Math.floor(random() * 3) };
  const when = pick(['before', 'after'] as const);
  switch (pick(['fail', 'cut', 'delay'] as const)) {
    case 'fail': {
      const error = pick(ERRORS[api] as readonly ErrorName[]);
      faults.fail(api, error, { ...options, when });
      return `${api} ${error} ${when} ${options.times}`;
    }
    case 'cut':
      faults.cut(api, when, options);
      return `${api} cut ${when} ${options.times}`;
    case 'delay':
      faults.delay(api, 700, options);
      return `${api} late ${options.times}`;
  }
}

test.each([
  ['poll', 1],
  ['interval', 2],
])(
  'connect-runtime 80: boundary %s, each record once; no fault of the cluster leaves the task FAILED',
  async (boundary, given) => {
    const seed = Number(process.env.FAULT_SEED ?? given);
    const random = seeded(seed).next;
    const group = `faults-${boundary}-${seed}`;
    const client = { 'bootstrap.servers': broker.bootstrapServers };
    const admin = clients.admin(client);
    await admin.deleteTopics([TOPIC]).catch(() => undefined);
    await admin.createTopics([{ name: TOPIC, partitions: 1, replicationFactor: 1 }]);
    const config = {
      ...parseWorkerConfig({
        ...client,
        'group.id': group,
        'config.storage.topic': `${group}-configs`,
        'offset.storage.topic': `${group}-offsets`,
        'offset.storage.partitions': '1',
        'status.storage.topic': `${group}-status`,
        'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
        'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      }),
      exactlyOnceSourceSupport: 'enabled' as const,
    };
    const log = new KafkaCompactedLog({
      topic: storageTopic('offset', { ...config.offset, replicationFactor: 1, partitions: 1 }),
      clients,
      admin,
      client,
      clientId: group,
      isolation: 'read_committed',
      logger: silentLogger,
    });
    const shared = new OffsetStore(log, silentLogger);
    await shared.start();
    const connectorConfig = {
      name: 'c',
      'connector.class': 'com.acme.Test',
      'transaction.boundary': boundary,
      'transaction.boundary.interval.ms': '60',
      'producer.override.request.timeout.ms': '500',
      'producer.override.retry.backoff.ms': '5',
      'producer.override.reconnect.backoff.ms': '5',
      'producer.override.transaction.timeout.ms': '5000',
    };
    const stores = new OffsetStores({
      shared,
      clients,
      worker: config,
      snapshot: () => ({ connectorConfig: () => connectorConfig }) as never,
      resolve: async (resolved) => resolved,
      logger: silentLogger,
    });
    const struck: string[] = [];
    const gate = { fence: async () => undefined, confirm: async () => undefined };
    const start = (): { runner: TaskRunner; listener: RecordingListener } => {
      const environment = { ...world(sourceOf(new Counter())), config, clients, offsets: stores, gate };
      const listener = new RecordingListener();
      const exactlyOnce = { transactionalId: `${group}-c-0`, generation: 1 };
      const runner = new TaskRunner(spec('source', connectorConfig, { exactlyOnce }), environment, listener);
      runner.start();
      return { runner, listener };
    };
    let current = start();
    const committed = async (): Promise<number> =>
      (await admin.listOffsets([{ topic: TOPIC, partition: 0 }], 'latest', 'read_committed'))[0]?.offset ?? 0;
    const failed = (): boolean => current.listener.events.includes('failed c-0');
    try {
      for (let round = 0; round < ROUNDS; round++) {
        struck.push(strike(random));
        if (random() < 0.3) {
          await new Promise((resolve) => setTimeout(resolve, random() * 100));
          // Its successor starts while its requests are in flight.
          current.runner.cancel();
          current = start();
          struck.push('cancel');
        }
        const from = await committed();
        await waitFor(
          'more records',
          async () => {
            if (failed()) {
              if (!current.listener.retriable) throw new Error(`${struck.join('; ')}\n${current.listener.trace}`);
              struck.push('restart');
              await current.runner.done;
              current = start();
            }
            return (await committed()) > from + 20;
          },
          { detail: () => `seed ${seed}: ${struck.join('; ')}\n${current.listener.trace}`, timeoutMs: 30_000 },
        );
        broker.faults.clear();
      }
    } finally {
      broker.faults.clear();
      current.runner.stop();
      await current.runner.done;
    }
    const consumer = clients.assignedConsumer({
      ...client,
      'isolation.level': 'read_committed',
      'auto.offset.reset': 'earliest',
    });
    await consumer.connect();
    const partition = { topic: TOPIC, partition: 0 };
    consumer.assign([partition]);
    await consumer.seekToBeginning([partition]);
    const seen: string[] = [];
    const [end] = await admin.listOffsets([partition], 'latest');
    while ((consumer.position(partition) ?? 0) < (end?.offset ?? 0))
      for (const { records } of await consumer.poll(100)) for (const { value } of records) seen.push(String(value));
    const last = (await stores.read('c', [PARTITION]))[0] as { n: number };
    await consumer.close();
    await stores.stop();
    await shared.stop();
    await admin.close();
    expect(seen).toEqual(Array.from({ length: last.n }, (_, i) => `v${i + 1}`));
  },
  180_000,
);
