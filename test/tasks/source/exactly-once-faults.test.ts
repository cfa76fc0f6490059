/**
 * Exactly-once tasks on a cluster with faults at random moments; every task that fails may restart. Other runs:
 * `FAULT_SEED=3 FAULT_ROUNDS=100`.
 */
import type { SourceOffset, SourcePartition, SourceRecord, SourceTask, SourceTaskContext } from '@millrace/sdk';
import { startEmbeddedBroker, type EmbeddedBroker, type ErrorName } from '@millrace/embedded';
import { OffsetStores } from '../../../src/cluster/offsets/offset-stores';
import { parseWorkerConfig, type WorkerConfig } from '../../../src/config/worker-config';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { readClocks, type Admin } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { seeded } from '../../helpers/seeded';
import { waitFor } from '../../helpers/wait-for';
import { SessionLease } from '../../../src/tasks/session-lease';
import { RecordingListener, sourceOf, spec, world } from '../fakes';

const PARTITION = { counter: 'one' };
const TOPIC = 'out';
const OUTPUT = { topic: TOPIC, partition: 0 };
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 8);
const clients = createKafkaClients(silentLogger);
let broker: EmbeddedBroker;

beforeAll(async () => {
  broker = await startEmbeddedBroker({ log: () => undefined });
});
afterAll(async () => await broker?.stop());

/** Forgets what is confirmed to it, as a replication slot does. */
class Server {
  confirmed = 0;
  /** The last number that a task has polled, and that it may poll. */
  sent = 0;
  limit = Infinity;
}

class Counter implements SourceTask {
  private n = 0;
  constructor(private readonly server: Server) {}
  async start(_config: unknown, context: SourceTaskContext): Promise<void> {
    const stored = Number((await context.offsets.offset(PARTITION))?.n ?? 0);
    this.n = Math.max(stored, this.server.confirmed);
  }
  commit(offsets: ReadonlyMap<SourcePartition, SourceOffset | null>): void {
    for (const offset of offsets.values()) this.server.confirmed = Math.max(this.server.confirmed, Number(offset?.n));
  }
  async poll(): Promise<SourceRecord[]> {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (this.n >= this.server.limit) return [];
    return Array.from({ length: 10 }, () => this.next());
  }
  stop(): void {}
  private next(): SourceRecord {
    const n = (this.server.sent = ++this.n);
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

interface Running {
  readonly runner: TaskRunner;
  readonly listener: RecordingListener;
}

/** Task 0 of connector `c`, whose runs have one server, and what they leave in Kafka. */
class Runs {
  readonly server = new Server();
  private readonly admin: Admin;
  private readonly shared: OffsetStore;
  private readonly stores: OffsetStores;

  private constructor(
    private readonly group: string,
    private readonly connectorConfig: Record<string, string>,
    private readonly config: WorkerConfig,
  ) {
    const { client } = this;
    this.admin = clients.admin(client);
    const log = new KafkaCompactedLog({
      topic: storageTopic('offset', { ...config.offset, replicationFactor: 1, partitions: 1 }),
      clients,
      admin: this.admin,
      client,
      clientId: group,
      isolation: 'read_committed',
      logger: silentLogger,
    });
    this.shared = new OffsetStore(log, silentLogger);
    this.stores = new OffsetStores({
      shared: this.shared,
      clients,
      worker: config,
      snapshot: () => ({ connectorConfig: () => connectorConfig }) as never,
      resolve: async (resolved) => resolved,
      logger: silentLogger,
    });
  }

  static async open(group: string, connectorConfig: Record<string, string>): Promise<Runs> {
    const config = parseWorkerConfig({
      'bootstrap.servers': broker.bootstrapServers,
      'group.id': group,
      'config.storage.topic': `${group}-configs`,
      'offset.storage.topic': `${group}-offsets`,
      'offset.storage.partitions': '1',
      'status.storage.topic': `${group}-status`,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    });
    const common = { name: 'c', 'connector.class': 'com.acme.Test', ...connectorConfig };
    const runs = new Runs(group, common, { ...config, exactlyOnceSourceSupport: 'enabled' });
    await runs.admin.deleteTopics([TOPIC]).catch(() => undefined);
    await runs.admin.createTopics([{ name: TOPIC, partitions: 1, replicationFactor: 1 }]);
    await runs.shared.start();
    return runs;
  }

  start(lease?: SessionLease): Running {
    const { config, stores, server, group, connectorConfig } = this;
    const gate = { fence: async () => undefined, confirm: async () => undefined };
    const environment = { ...world(sourceOf(new Counter(server))), config, clients, offsets: stores, gate };
    const listener = new RecordingListener();
    const exactlyOnce = { transactionalId: `${group}-c-0`, generation: 1 };
    const runner = new TaskRunner(
      spec('source', connectorConfig, { exactlyOnce, lease: lease?.forWork() }),
      environment,
      listener,
    );
    runner.start();
    return { runner, listener };
  }

  async committed(): Promise<number> {
    return (await this.admin.listOffsets([OUTPUT], 'latest', 'read_committed'))[0]?.offset ?? 0;
  }

  /** Call when no task runs. What read_committed consumers see, and the stored offset. */
  async end(): Promise<{ readonly seen: readonly string[]; readonly last: number }> {
    const { stores, shared, admin, client } = this;
    const consumer = clients.assignedConsumer({
      ...client,
      'isolation.level': 'read_committed',
      'auto.offset.reset': 'earliest',
    });
    await consumer.connect();
    consumer.assign([OUTPUT]);
    await consumer.seekToBeginning([OUTPUT]);
    const seen: string[] = [];
    const [end] = await admin.listOffsets([OUTPUT], 'latest');
    while ((consumer.position(OUTPUT) ?? 0) < (end?.offset ?? 0))
      for (const { records } of await consumer.poll(100)) for (const { value } of records) seen.push(String(value));
    const last = (await stores.read('c', [PARTITION]))[0] as { n: number };
    await consumer.close();
    await stores.stop();
    await shared.stop();
    await admin.close();
    return { seen, last: last.n };
  }

  private get client(): Record<string, string> {
    return { 'bootstrap.servers': broker.bootstrapServers };
  }
}

const upTo = (last: number): string[] => Array.from({ length: last }, (_, i) => `v${i + 1}`);

test.each([
  ['poll', 1],
  ['interval', 2],
])(
  'connect-runtime 80: boundary %s, each record once; no fault of the cluster leaves the task FAILED',
  async (boundary, given) => {
    const seed = Number(process.env.FAULT_SEED ?? given);
    const random = seeded(seed).next;
    const runs = await Runs.open(`faults-${boundary}-${seed}`, {
      'transaction.boundary': boundary,
      'transaction.boundary.interval.ms': '60',
      'producer.override.request.timeout.ms': '500',
      'producer.override.retry.backoff.ms': '5',
      'producer.override.reconnect.backoff.ms': '5',
      'producer.override.transaction.timeout.ms': '5000',
    });
    const struck: string[] = [];
    let current = runs.start();
    const failed = (): boolean => current.listener.events.includes('failed c-0');
    try {
      for (let round = 0; round < ROUNDS; round++) {
        struck.push(strike(random));
        if (random() < 0.3) {
          await new Promise((resolve) => setTimeout(resolve, random() * 100));
          // Its successor starts while its requests are in flight.
          current.runner.cancel();
          current = runs.start();
          struck.push('cancel');
        }
        const from = await runs.committed();
        await waitFor(
          'more records',
          async () => {
            if (failed()) {
              if (!current.listener.retriable) throw new Error(`${struck.join('; ')}\n${current.listener.trace}`);
              struck.push('restart');
              await current.runner.done;
              current = runs.start();
            }
            return (await runs.committed()) > from + 20;
          },
          { detail: () => `seed ${seed}: ${struck.join('; ')}\n${current.listener.trace}` },
        );
        broker.faults.clear();
      }
    } finally {
      broker.faults.clear();
      current.runner.stop();
      await current.runner.done;
    }
    const { seen, last } = await runs.end();
    expect(seen).toEqual(upTo(last));
  },
);

test.each([
  ['before Kafka answers AddPartitionsToTxn', 'AddPartitionsToTxn'],
  ['before Kafka answers Produce', 'Produce'],
  ['before Kafka answers EndTxn', 'EndTxn'],
  ['while it may not send', null],
])(
  'connect-runtime 81: a task that is cancelled %s confirms nothing to its source that is not committed',
  async (_when, api) => {
    const runs = await Runs.open(`cancelled-${api}`, {});
    const lease = new SessionLease(60_000);
    lease.renew(readClocks());
    const first = runs.start(lease);
    await waitFor('records', async () => (await runs.committed()) > 20);
    const { server } = runs;
    if (api === null) {
      server.limit = server.sent;
      await waitFor('everything to be confirmed', () => server.confirmed === server.limit);
      lease.end();
      server.limit += 10;
      await waitFor('records that are not sent', () => server.sent === server.limit);
      // The poll returns them, and their transaction waits for the lease.
      await new Promise((resolve) => setTimeout(resolve, 2));
    } else {
      const before = broker.faults.requests(api);
      broker.faults.delay(api, 1000, { clientId: 'connector-producer' });
      await waitFor('the request', () => broker.faults.requests(api) > before);
    }
    first.runner.cancel();
    broker.faults.clear();
    await first.runner.done;
    server.limit = Infinity;
    const second = runs.start();
    const from = await runs.committed();
    await waitFor('records of the next run', async () => (await runs.committed()) > from + 20);
    second.runner.stop();
    await second.runner.done;
    const { seen, last } = await runs.end();
    expect(seen).toEqual(upTo(last));
  },
);
