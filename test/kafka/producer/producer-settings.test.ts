import { advanceSequence, PartitionQueue } from '../../../packages/kafka-client/src/producer/partition-queue';
import { BufferPool } from '../../../packages/kafka-client/src/records/buffer-pool';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { ProducerBatch } from '../../../packages/kafka-client/src/producer/producer-batch';
import { IdempotentProducerIds } from '../../../packages/kafka-client/src/producer/producer-ids';
import { readProducerSettings } from '../../../packages/kafka-client/src/producer/producer-settings';

describe("kafka-client 2: producer settings under Java's names", () => {
  test('defaults', () => {
    expect(readProducerSettings({})).toMatchObject({
      acks: -1,
      lingerMs: 5,
      batchBytes: 16_384,
      bufferMemory: 33_554_432,
      deliveryTimeoutMs: 120_000,
      idempotent: true,
      codec: 0,
      transactionalId: null,
    });
  });

  test('connect-runtime 4.1: what Connect sets, "for ever" included', () => {
    const settings = readProducerSettings({
      acks: 'all',
      'max.in.flight.requests.per.connection': '1',
      'enable.idempotence': 'false',
      'delivery.timeout.ms': '2147483647',
      'max.block.ms': '9223372036854775807',
    });
    expect(settings).toMatchObject({
      idempotent: false,
      maxInFlightRequests: 1,
      deliveryTimeoutMs: Infinity,
      maxBlockMs: Infinity,
    });
  });

  test('the grown batch and the request stay below what brokers and Event Hubs accept; explicit sizes win', () => {
    const { maxBatchBytes, maxRequestBytes } = readProducerSettings({});
    expect(maxBatchBytes).toBeGreaterThan(500_000);
    expect(maxRequestBytes).toBeLessThan(1_046_528);
    expect(maxBatchBytes).toBeLessThan(maxRequestBytes);
    expect(readProducerSettings({ 'batch.size': '100' })).toMatchObject({ batchBytes: 100, maxBatchBytes: 100 });
    expect(readProducerSettings({ 'max.request.size': '50000' })).toMatchObject({
      maxBatchBytes: 50_000,
      maxRequestBytes: 50_000,
    });
  });

  test('idempotence follows acks unless asked for', () => {
    expect(readProducerSettings({ acks: '1' }).idempotent).toBe(false);
    expect(() => readProducerSettings({ acks: '1', 'enable.idempotence': 'true' })).toThrow(/acks/);
    expect(() => readProducerSettings({ 'transactional.id': 'x', 'enable.idempotence': 'false' })).toThrow(
      /enable.idempotence/,
    );
    expect(readProducerSettings({ 'transactional.id': 'x' }).idempotent).toBe(true);
  });

  test.each([
    ['acks', '2'],
    ['compression.type', 'rar'],
    ['linger.ms', 'soon'],
    ['batch.size', '-1'],
  ])('%s=%s is refused and named', (key, value) => {
    expect(() => readProducerSettings({ [key]: value })).toThrow(key);
  });

  test("compression levels by Java's per-codec keys", () => {
    expect(readProducerSettings({ 'compression.type': 'gzip', 'compression.gzip.level': '9' })).toMatchObject({
      codec: 1,
      compressionLevel: 9,
    });
    expect(readProducerSettings({ 'compression.type': 'zstd', 'compression.level': '7' })).toMatchObject({
      codec: 4,
      compressionLevel: 7,
    });
  });
});

describe('kafka-client 3: sequence numbers and epochs', () => {
  const batchOf = (records: number): ProducerBatch => {
    const batch = new ProducerBatch('t', 0, 0, 0, new BufferPool(0), 0, 100);
    for (let i = 0; i < records; i++)
      batch.append({ key: null, value: null, headers: null }, 1, Infinity, undefined, i);
    return batch;
  };

  test('wrap from 2^31 - 1 to 0', () => {
    expect(advanceSequence(2 ** 31 - 1, 1)).toBe(0);
    expect(advanceSequence(2 ** 31 - 3, 10)).toBe(7);
    const queue = new PartitionQueue('t', 0, 1000);
    queue.useIdentity(5, 0);
    queue.nextSequence = 2 ** 31 - 2;
    const [first, second] = [batchOf(4), batchOf(1)];
    queue.assignIdentity(first, false);
    queue.assignIdentity(second, false);
    expect([first.identity!.baseSequence, second.identity!.baseSequence]).toEqual([2 ** 31 - 2, 2]);
  });

  test('after the last epoch the partition waits for a new producer id', async () => {
    let given = 70;
    let woken = 0;
    const ids = new IdempotentProducerIds(
      () => Promise.resolve({ producerId: given++, epoch: 0 }),
      () => woken++,
    );
    await ids.obtain();
    const queue = new PartitionQueue('t', 0, 1000);
    expect(ids.tryAssignIdentity(queue)).toBe(true);
    queue.useIdentity(70, 32_766);
    ids.onSequenceLost(queue, batchOf(1));
    expect(ids.tryAssignIdentity(queue)).toBe(false);
    await ids.obtain();
    expect(woken).toBe(2);
    expect(ids.tryAssignIdentity(queue)).toBe(true);
    expect([queue.producerId, queue.epoch, queue.nextSequence]).toEqual([71, 0, 0]);
  });
});

describe('kafka-client 3: a producer id that cannot be had', () => {
  test('waiting records fail with the reason instead of waiting forever', async () => {
    const refused = new KafkaError('CLUSTER_AUTHORIZATION_FAILED', 'no');
    const woken = new Promise<void>((resolve) => {
      const ids: IdempotentProducerIds = new IdempotentProducerIds(
        () => Promise.reject(refused),
        () => {
          expect(ids.abandoned).toBe(refused);
          resolve();
        },
      );
      expect(ids.tryAssignIdentity(new PartitionQueue('t', 0, 1000))).toBe(false);
    });
    await woken;
    expect.assertions(2);
  });
});

describe('buffer pool', () => {
  test('reuses memory, up to its limit', () => {
    const pool = new BufferPool(4096);
    const first = pool.acquire(2000);
    expect(first.length).toBe(2048);
    pool.release(first);
    expect(pool.idleBytes).toBe(2048);
    expect(pool.acquire(1500)).toBe(first);
    pool.release(pool.acquire(5000));
    expect(pool.idleBytes).toBe(0);
  });
});
