/** Transactions as producers meet them: fencing, timeouts, markers, offsets, restarts (kafka-client §3 and §4). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OFFSET_COMMIT, OFFSET_FETCH } from '@millrace/kafka-protocol';
import * as api from '@millrace/kafka-protocol';
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import { CoordinatorsHarness, settle } from '../coordinators-harness';

const TIMEOUT_MS = 60_000;

/** The last version of AddPartitionsToTxn that is about one transaction only. */
const ONE_TRANSACTION = 3;

/** A producer that speaks for `x`. */
class Producer {
  who = { transactionalId: 'x', producerId: -1, producerEpoch: -1 };

  constructor(private readonly h: CoordinatorsHarness) {}

  async init(expected = { producerId: -1, producerEpoch: -1 }, version = 4): Promise<number> {
    const request = { transactionalId: 'x', transactionTimeoutMs: TIMEOUT_MS, ...expected };
    const { errorCode, producerId, producerEpoch } = await this.h.ask(api.INIT_PRODUCER_ID, request, version);
    if (errorCode === 0) this.who = { transactionalId: 'x', producerId, producerEpoch };
    return errorCode;
  }

  async add(...partitions: number[]): Promise<number[]> {
    const request = { ...this.who, topics: [{ name: 't', partitions }] };
    const { results } = await this.h.ask(api.ADD_PARTITIONS_TO_TXN, request, ONE_TRANSACTION);
    return results[0]!.results.map(({ errorCode }) => errorCode);
  }

  async addGroup(groupId = 'g'): Promise<number> {
    return (await this.h.ask(api.ADD_OFFSETS_TO_TXN, { ...this.who, groupId })).errorCode;
  }

  async commitOffset(committedOffset: number, more: object = {}): Promise<number> {
    const partition = { partitionIndex: 0, committedOffset, committedLeaderEpoch: -1, committedMetadata: '' };
    const topics = [{ name: 't', partitions: [partition] }];
    const answer = await this.h.ask(api.TXN_OFFSET_COMMIT, { ...this.who, groupId: 'g', topics, ...more });
    return answer.topics[0]!.partitions[0]!.errorCode;
  }

  async end(committed: boolean, version = 3): Promise<number> {
    return (await this.h.ask(api.END_TXN, { ...this.who, committed }, version)).errorCode;
  }

  checkAppend(partition: number): number {
    const { producerId, producerEpoch: epoch } = this.who;
    return this.h.broker.transactions.checkAppend({ producerId, epoch }, { topic: 't', partition });
  }
}

async function started(h: CoordinatorsHarness): Promise<Producer> {
  const producer = new Producer(h);
  expect(await producer.init()).toBe(0);
  return producer;
}

async function committed(
  h: CoordinatorsHarness,
  requireStable = false,
): Promise<{ offset: number; errorCode?: number }> {
  const { groups } = await h.ask(OFFSET_FETCH, {
    groups: [{ groupId: 'g', topics: [{ name: 't', partitionIndexes: [0] }] }],
    requireStable,
  });
  const { committedOffset, errorCode } = groups[0]!.topics[0]!.partitions[0]!;
  return { offset: committedOffset, ...(errorCode ? { errorCode } : {}) };
}

it('AddPartitionsToTxn: partitions of several transactions, or verification only', async () => {
  const h = await CoordinatorsHarness.open();
  const producer = await started(h);
  const add = async (verifyOnly: boolean, partition: number): Promise<number> => {
    const transaction = { ...producer.who, verifyOnly, topics: [{ name: 't', partitions: [partition] }] };
    const answer = await h.ask(api.ADD_PARTITIONS_TO_TXN, { transactions: [transaction] });
    expect(answer).toMatchObject({ errorCode: 0, resultsByTransaction: [{ transactionalId: 'x' }] });
    return answer.resultsByTransaction[0]!.topicResults[0]!.results[0]!.errorCode;
  };
  expect(await add(true, 0)).toBe(ErrorCode.INVALID_TXN_STATE);
  expect(await add(false, 0)).toBe(0);
  expect([await add(true, 0), await add(true, 1)]).toEqual([0, ErrorCode.INVALID_TXN_STATE]);
});

describe('producer ids', () => {
  it('are never given twice', async () => {
    const h = await CoordinatorsHarness.open();
    const ids = await Promise.all(
      Array.from({ length: 2_500 }, () =>
        h.ask(api.INIT_PRODUCER_ID, { transactionalId: null, transactionTimeoutMs: 1 }).then((r) => r.producerId),
      ),
    );
    expect(new Set(ids).size).toBe(2_500);
  });

  it.each([
    ['an empty transactional id', { transactionalId: '', transactionTimeoutMs: 1 }, ErrorCode.INVALID_REQUEST],
    ['no time at all', { transactionalId: 'x', transactionTimeoutMs: 0 }, ErrorCode.INVALID_TRANSACTION_TIMEOUT],
    ['too much time', { transactionalId: 'x', transactionTimeoutMs: 900_001 }, ErrorCode.INVALID_TRANSACTION_TIMEOUT],
  ])('%s is refused', async (_, request, errorCode) => {
    const h = await CoordinatorsHarness.open();
    expect(await h.ask(api.INIT_PRODUCER_ID, request)).toMatchObject({ errorCode, producerId: -1 });
  });
});

describe('committing and aborting', () => {
  it('EndTxn: one marker per partition, and the response after it is written', async () => {
    const h = await CoordinatorsHarness.open();
    const { waiting } = h.clock;
    const producer = await started(h);
    expect(await producer.add(0, 1)).toEqual([0, 0]);
    expect(await producer.end(true)).toBe(0);
    expect(h.partitions.markers).toEqual(['t-0 0/0 commit', 't-1 0/0 commit']);
    expect(await producer.add(2)).toEqual([0]);
    expect(await producer.end(false)).toBe(0);
    expect(h.partitions.markers.slice(2)).toEqual(['t-2 0/0 abort']);
    expect(h.clock.waiting).toBe(waiting);
  });

  it('EndTxn may be repeated with the same outcome, not with the other', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.add(0);
    await producer.end(true);
    expect(await producer.end(true)).toBe(0);
    expect(await producer.end(false)).toBe(ErrorCode.INVALID_TXN_STATE);
    expect(h.partitions.markers).toHaveLength(1);
  });

  it('AddPartitionsToTxn: an unknown partition fails the request, and no transaction begins', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    const { OPERATION_NOT_ATTEMPTED, UNKNOWN_TOPIC_OR_PARTITION } = ErrorCode;
    expect(await producer.add(0, 9)).toEqual([OPERATION_NOT_ATTEMPTED, UNKNOWN_TOPIC_OR_PARTITION]);
    expect(await producer.end(true)).toBe(ErrorCode.INVALID_TXN_STATE);
  });

  it('while markers are written, the next transaction gets CONCURRENT_TRANSACTIONS', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.add(0);
    let openGate = (): void => undefined;
    h.partitions.gate = new Promise((resolve) => (openGate = resolve));
    const ending = producer.end(true);
    await settle();
    h.clock.advance(500);
    expect(await ending).toBe(0);
    expect(await producer.add(0)).toEqual([ErrorCode.CONCURRENT_TRANSACTIONS]);
    expect(await producer.end(true)).toBe(ErrorCode.CONCURRENT_TRANSACTIONS);
    expect(await new Producer(h).init()).toBe(ErrorCode.CONCURRENT_TRANSACTIONS);
    openGate();
    await settle();
    expect(await producer.add(0)).toEqual([0]);
  });

  it('a marker that cannot be written is retried until it can, or its partition is deleted', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.add(0);
    h.partitions.failures = 2;
    const ending = producer.end(true);
    for (let i = 0; i < 2; i++) {
      await settle();
      h.clock.advance(100);
    }
    expect(await ending).toBe(0);
    expect(h.partitions.markers).toEqual(['t-0 0/0 commit']);
    await producer.add(0);
    h.partitions.topics.clear();
    expect(await producer.end(true)).toBe(0);
    expect(h.partitions.markers).toHaveLength(1);
  });
});

describe('fencing', () => {
  it('a second producer of the transactional id fences the first one', async () => {
    const h = await CoordinatorsHarness.open();
    const first = await started(h);
    const second = await started(h);
    expect(second.who).toEqual({ ...first.who, producerEpoch: 1 });
    expect(await first.add(0)).toEqual([ErrorCode.PRODUCER_FENCED]);
    expect(await first.addGroup()).toBe(ErrorCode.PRODUCER_FENCED);
    expect(await first.end(true)).toBe(ErrorCode.PRODUCER_FENCED);
    expect(await first.end(true, 1)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    expect(await first.init(first.who)).toBe(ErrorCode.PRODUCER_FENCED);
    expect(await first.init(first.who, 3)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
  });

  it("the first producer's transaction is aborted with a fencing epoch before the second one starts", async () => {
    const h = await CoordinatorsHarness.open();
    const first = await started(h);
    await first.add(0);
    const second = new Producer(h);
    expect(await second.init()).toBe(ErrorCode.CONCURRENT_TRANSACTIONS);
    await settle();
    expect(h.partitions.markers).toEqual(['t-0 0/1 abort']);
    expect(await second.init()).toBe(0);
    expect(second.who.producerEpoch).toBe(2);
    expect(first.checkAppend(0)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
  });

  it('requests with an unknown transactional id', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = new Producer(h);
    expect(await producer.end(true)).toBe(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
    expect(producer.checkAppend(0)).toBe(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
  });

  it('appends only to partitions of the open transaction', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    expect(producer.checkAppend(0)).toBe(ErrorCode.INVALID_TXN_STATE);
    await producer.add(0);
    expect([producer.checkAppend(0), producer.checkAppend(1)]).toEqual([0, ErrorCode.INVALID_TXN_STATE]);
    await producer.end(true);
    expect(producer.checkAppend(0)).toBe(ErrorCode.INVALID_TXN_STATE);
  });
});

describe('timeouts', () => {
  it('a transaction that exceeds its timeout is aborted and its producer fenced', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.add(0);
    h.clock.advance(TIMEOUT_MS / 2);
    await producer.add(1);
    h.clock.advance(TIMEOUT_MS / 2);
    await settle();
    expect(h.partitions.markers).toEqual(['t-0 0/1 abort', 't-1 0/1 abort']);
    expect(h.lines[0]).toMatch(/Aborting the transaction of 'x': it exceeded its timeout of 60000 ms/);
    expect(await producer.end(true)).toBe(ErrorCode.PRODUCER_FENCED);
  });

  it('a transaction that ended in time is not aborted', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.add(0);
    await producer.end(true);
    h.clock.advance(TIMEOUT_MS);
    await settle();
    expect(h.partitions.markers).toEqual(['t-0 0/0 commit']);
  });
});

describe('offsets in transactions', () => {
  it('count when the transaction is committed, and are unstable until then', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    expect(await producer.addGroup()).toBe(0);
    expect(await producer.commitOffset(42)).toBe(0);
    expect(await committed(h)).toEqual({ offset: -1 });
    expect(await committed(h, true)).toEqual({ offset: -1, errorCode: ErrorCode.UNSTABLE_OFFSET_COMMIT });
    await producer.end(true);
    expect(await committed(h, true)).toEqual({ offset: 42 });
  });

  it('are forgotten when it is aborted', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.addGroup();
    await producer.commitOffset(42);
    await producer.end(false);
    expect(await committed(h, true)).toEqual({ offset: -1 });
  });

  it('do not undo a plain commit that came later', async () => {
    const h = await CoordinatorsHarness.open();
    const producer = await started(h);
    await producer.addGroup();
    await producer.commitOffset(42);
    const partition = { partitionIndex: 0, committedOffset: 50, committedLeaderEpoch: -1, committedMetadata: '' };
    await h.ask(OFFSET_COMMIT, { groupId: 'g', topics: [{ name: 't', partitions: [partition] }] });
    await producer.end(true);
    expect(await committed(h, true)).toEqual({ offset: 50 });
  });

  it('need the group in the transaction, the present epoch and the present generation', async () => {
    const h = await CoordinatorsHarness.open();
    const first = await started(h);
    expect(await first.commitOffset(1)).toBe(ErrorCode.INVALID_TXN_STATE);
    await first.addGroup();
    expect(await first.commitOffset(1, { generationId: 3, memberId: 'm' })).toBe(ErrorCode.ILLEGAL_GENERATION);
    await first.end(false);
    const second = await started(h);
    await second.addGroup();
    expect(await first.commitOffset(1)).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
  });
});

describe('after a restart', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'millrace-transactions-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('a prepared transaction is completed: markers and offsets', async () => {
    const h = await CoordinatorsHarness.open(dir);
    const producer = await started(h);
    await producer.add(0);
    h.partitions.failures = 1;
    const ending = producer.end(true);
    await settle();
    while (h.lines.length === 0) await settle();
    const closing = h.broker.close();
    h.clock.advance(1_000);
    await Promise.all([ending, closing]);
    expect(h.partitions.markers).toEqual([]);
    await h.start();
    while (h.partitions.markers.length === 0) await settle();
    expect(h.partitions.markers).toEqual(['t-0 0/0 commit']);
    await h.broker.close();
  });

  it('an open transaction continues with its timeout; the producer keeps its id and pending offsets', async () => {
    const h = await CoordinatorsHarness.open(dir);
    const producer = await started(h);
    await producer.add(0);
    await producer.addGroup();
    await producer.commitOffset(42);
    await h.broker.close();
    await h.start();
    expect(producer.checkAppend(0)).toBe(0);
    expect(await committed(h, true)).toMatchObject({ errorCode: ErrorCode.UNSTABLE_OFFSET_COMMIT });
    expect(await producer.end(true)).toBe(0);
    expect(await committed(h, true)).toEqual({ offset: 42 });
    await producer.add(1);
    await h.broker.close();
    await h.start();
    h.clock.advance(TIMEOUT_MS);
    while (h.partitions.markers.length < 2) await settle();
    expect(h.partitions.markers).toEqual(['t-0 0/0 commit', 't-1 0/1 abort']);
    await h.broker.close();
  });

  it('producer ids continue after the reserved ones', async () => {
    const h = await CoordinatorsHarness.open(dir);
    await started(h);
    await h.broker.close();
    await h.start();
    const { producerId } = await h.ask(api.INIT_PRODUCER_ID, { transactionalId: null, transactionTimeoutMs: 1 });
    expect(producerId).toBe(1_000);
    await h.broker.close();
  });
});
