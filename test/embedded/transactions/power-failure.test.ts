/**
 * A power failure may take the end of each file that was not flushed. What producers write and groups read afterwards
 * must not depend on it (kafka-client §4).
 */
import { copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CREATE_TOPICS, FETCH, LIST_OFFSETS, OFFSET_FETCH, PRODUCE } from '@millrace/kafka-protocol';
import * as api from '@millrace/kafka-protocol';
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import { brokers, fetchRequest, produceRequest, RawClient } from '../broker-harness';
import { recordsIn, type BatchSpec } from '../record-batches';

const start = brokers();
let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'embedded-power-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

type Producer = { producerId: number; producerEpoch: number };
const ANY = { producerId: -1, producerEpoch: -1 };

/** The broker's folder as it is, until it is restarted with the end of `transactions.log` missing. */
class Machine {
  client!: RawClient;
  private stop!: () => Promise<void>;

  static async withTopic(): Promise<Machine> {
    const machine = new Machine();
    await machine.start();
    const topic = { name: 't', numPartitions: 1, replicationFactor: 1 };
    await machine.client.send(CREATE_TOPICS, 7, { topics: [topic], timeoutMs: 1_000 });
    return machine;
  }

  async start(): Promise<void> {
    const broker = await start({ dataDir });
    this.client = await RawClient.connect(broker);
    this.stop = () => broker.stop();
  }

  /** What `transactions.log` has now is all that it has after `failPower`. */
  flush(): void {
    copyFileSync(join(dataDir, 'transactions.log'), join(dataDir, 'flushed'));
  }

  async failPower(): Promise<void> {
    this.client.close();
    await this.stop();
    copyFileSync(join(dataDir, 'flushed'), join(dataDir, 'transactions.log'));
    await this.start();
  }

  async init(transactionalId: string | null = null, expected = ANY): Promise<Producer> {
    const request = { transactionalId, transactionTimeoutMs: 60_000, ...expected };
    for (;;) {
      const { errorCode, ...producer } = await this.client.send(api.INIT_PRODUCER_ID, 4, request);
      if (errorCode === ErrorCode.CONCURRENT_TRANSACTIONS) continue;
      expect(errorCode).toBe(0);
      return producer;
    }
  }

  async begin(producer: Producer): Promise<number> {
    const request = { transactionalId: 'x', ...producer, topics: [{ name: 't', partitions: [0] }] };
    return (await this.client.send(api.ADD_PARTITIONS_TO_TXN, 3, request)).results[0]!.results[0]!.errorCode;
  }

  async end(producer: Producer): Promise<number> {
    return (await this.client.send(api.END_TXN, 3, { transactionalId: 'x', ...producer, committed: true })).errorCode;
  }

  async produce(value: string, { producerId, producerEpoch: epoch }: Producer, more: Partial<BatchSpec> = {}) {
    const batch = { records: [value], producerId, epoch, sequence: 0, ...more };
    const { responses } = await this.client.send(PRODUCE, 9, produceRequest('t', batch));
    return responses[0]!.partitionResponses[0]!.errorCode;
  }

  async values(): Promise<(string | null)[]> {
    const { responses } = await this.client.send(FETCH, 12, fetchRequest('t', 0, { isolationLevel: 1 }));
    const { records, abortedTransactions } = responses[0]!.partitions[0]!;
    const aborted = (abortedTransactions ?? []).map(({ firstOffset }) => firstOffset);
    return recordsIn(records).flatMap(({ offset, value }) => (aborted.includes(offset) ? [] : [value]));
  }

  /** [last stable offset, end]. */
  async ends(): Promise<number[]> {
    const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1 }];
    const end = async (isolationLevel: number): Promise<number> =>
      (await this.client.send(LIST_OFFSETS, 5, { replicaId: -1, isolationLevel, topics: [{ name: 't', partitions }] }))
        .topics[0]!.partitions[0]!.offset;
    return [await end(1), await end(0)];
  }
}

test('after a power failure, records of a new producer are written, not taken for those of an earlier one', async () => {
  const machine = await Machine.withTopic();
  machine.flush();
  const old = await machine.init();
  expect(await machine.produce('old', old)).toBe(0);
  await machine.failPower();
  const producer = await machine.init();
  expect(await machine.produce('new', producer)).toBe(0);
  expect(await machine.values()).toEqual(['old', 'new']);
  expect(producer.producerId).toBeGreaterThan(old.producerId);
});

test('after a power failure, records of a transactional id that starts again are written', async () => {
  const machine = await Machine.withTopic();
  await machine.init('x');
  machine.flush();
  const old = await machine.init('x');
  await machine.begin(old);
  await machine.produce('old', old, { transactional: true });
  await machine.end(old);
  await machine.failPower();
  const producer = await machine.init('x');
  expect(await machine.begin(producer)).toBe(0);
  expect(await machine.produce('new', producer, { transactional: true })).toBe(0);
  expect(await machine.end(producer)).toBe(0);
  expect((await machine.values()).filter((value) => value === 'old' || value === 'new')).toEqual(['old', 'new']);
});

test.each([
  ['known', true],
  ['unknown', false],
])(
  'after a power failure, a transaction of an id that is %s is aborted, so that readers continue',
  async (_, known) => {
    const machine = await Machine.withTopic();
    if (!known) machine.flush();
    const producer = await machine.init('x');
    if (known) machine.flush();
    await machine.begin(producer);
    await machine.produce('open', producer, { transactional: true });
    expect(await machine.ends()).toEqual([0, 1]);
    await machine.failPower();
    expect(await machine.ends()).toEqual([2, 2]);
    expect(await machine.values()).not.toContain('open');
    // The producer must not believe that it has committed.
    expect(await machine.end(producer)).toBe(known ? ErrorCode.PRODUCER_FENCED : ErrorCode.INVALID_PRODUCER_ID_MAPPING);
  },
);

test.each([
  ['known', true],
  ['unknown', false],
])('after a power failure, offsets in a transaction of an id that is %s do not stay pending', async (_, known) => {
  const machine = await Machine.withTopic();
  if (!known) machine.flush();
  const producer = await machine.init('x');
  if (known) machine.flush();
  await machine.client.send(api.ADD_OFFSETS_TO_TXN, 3, { transactionalId: 'x', ...producer, groupId: 'g' });
  const partitions = [{ partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: -1, committedMetadata: '' }];
  const commit = {
    transactionalId: 'x',
    groupId: 'g',
    ...producer,
    generationId: -1,
    topics: [{ name: 't', partitions }],
  };
  expect(await machine.client.send(api.TXN_OFFSET_COMMIT, 3, commit)).toMatchObject({
    topics: [{ partitions: [{ errorCode: 0 }] }],
  });
  await machine.failPower();
  // The transaction is aborted after the start; until then the client gets a retriable error.
  const fetch = async () => {
    const topics = [{ name: 't', partitionIndexes: [0] }];
    return await machine.client.send(OFFSET_FETCH, 7, { groupId: 'g', topics, requireStable: true });
  };
  let offset = (await fetch()).topics[0]!.partitions[0]!;
  while (offset.errorCode === ErrorCode.UNSTABLE_OFFSET_COMMIT) offset = (await fetch()).topics[0]!.partitions[0]!;
  expect(offset).toMatchObject({ errorCode: 0, committedOffset: -1 });
});

test('an empty transactions.log: no producer id is assigned twice', async () => {
  const machine = await Machine.withTopic();
  machine.flush();
  const old = await machine.init('x');
  truncateSync(join(dataDir, 'flushed'), 0);
  await machine.begin(old);
  await machine.produce('old', old, { transactional: true });
  await machine.end(old);
  await machine.failPower();
  expect((await machine.init('y')).producerId).toBeGreaterThan(old.producerId);
});
