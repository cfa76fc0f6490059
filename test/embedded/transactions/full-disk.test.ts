/** Writes that fail for a while: what was begun is completed when the disk has space again, without a restart. */
import { MemoryKeyValueLog } from '../../../packages/embedded/src/storage/key-value-log';
import { TransactionCoordinator } from '../../../packages/embedded/src/transactions/coordinator';
import type { ProducerIdentity } from '../../../packages/embedded/src/transactions/transaction';
import { FakePartitions, settle } from '../coordinators-harness';
import { FakeClock } from '../fake-clock';

const TIMEOUT_MS = 60_000;
const AT = { topic: 't', partition: 0 };

class FullDisk extends MemoryKeyValueLog {
  /** Whether this write still fits. */
  fits: (value: string | null) => boolean = () => true;

  override append(key: string, value: string | null): Promise<void> {
    if (this.fits(value)) return super.append(key, value);
    return Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
  }
}

class Broker {
  readonly clock = new FakeClock();
  readonly partitions = new FakePartitions();
  readonly stateLog = new FullDisk();
  readonly lines: string[] = [];
  readonly endedOffsets: string[] = [];
  offsetFailures = 0;
  coordinator!: TransactionCoordinator;
  producer!: ProducerIdentity;

  /** With a transaction of `x` that has a partition and a group. */
  static async withTransaction(): Promise<Broker> {
    const broker = new Broker();
    const { clock, partitions, stateLog } = broker;
    broker.coordinator = await TransactionCoordinator.open({
      stateLog,
      clock,
      partitions,
      pendingOffsets: () => [],
      endGroupTransaction: async (groupId, producerId, committed) => {
        if (broker.offsetFailures-- > 0) throw new Error('ENOSPC: no space left on device');
        broker.endedOffsets.push(`${groupId} ${producerId} ${committed ? 'commit' : 'abort'}`);
      },
      maxTimeoutMs: 900_000,
      log: (line) => void broker.lines.push(line),
    });
    const { producerId, epoch } = await broker.coordinator.initProducer('x', TIMEOUT_MS, null);
    broker.producer = { producerId, epoch };
    await broker.coordinator.add('x', broker.producer, { partitions: [AT], groups: ['g'] });
    return broker;
  }

  state(): string {
    return this.coordinator.all().map(([, { state }]) => state)[0]!;
  }

  /** Lets retries happen for that long. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      await settle();
      this.clock.advance(100);
    }
    await settle();
  }
}

it('full disk: a transaction whose offsets cannot be stored is completed later, and its id can be used', async () => {
  const broker = await Broker.withTransaction();
  broker.offsetFailures = 3;
  const ending = broker.coordinator.end('x', broker.producer, true);
  await broker.pass(1_000);
  expect(await ending).toBe(0);
  expect(broker.endedOffsets).toEqual(['g 0 commit']);
  expect(broker.state()).toBe('CompleteCommit');
  expect(broker.lines).toEqual([expect.stringMatching(/offsets of group 'g'.*'x'.*retrying: .*ENOSPC/)]);
  expect(await broker.coordinator.add('x', broker.producer, { partitions: [AT] })).toBe(0);
});

it('full disk: a transaction whose end cannot be stored is completed later, and its id can be used', async () => {
  const broker = await Broker.withTransaction();
  let failures = 3;
  broker.stateLog.fits = (value) => !value!.includes('Complete') || failures-- <= 0;
  const ending = broker.coordinator.end('x', broker.producer, true);
  await broker.pass(1_000);
  expect(await ending).toBe(0);
  expect(broker.state()).toBe('CompleteCommit');
  expect(broker.partitions.markers).toEqual(['t-0 0/0 commit']);
  expect(await broker.coordinator.initProducer('x', TIMEOUT_MS, null)).toMatchObject({ errorCode: 0, epoch: 1 });
});

it('full disk: a transaction that exceeds its timeout is aborted when there is space', async () => {
  const broker = await Broker.withTransaction();
  broker.stateLog.fits = () => false;
  await broker.pass(2 * TIMEOUT_MS);
  expect(broker.state()).toBe('Ongoing');
  expect(broker.lines).toHaveLength(2);
  broker.stateLog.fits = () => true;
  await broker.pass(1_000);
  expect(broker.partitions.markers).toEqual(['t-0 0/1 abort']);
  expect(broker.endedOffsets).toEqual(['g 0 abort']);
  expect(broker.state()).toBe('CompleteAbort');
});

it('full disk: a delayed abort does not abort the next transaction of the producer', async () => {
  const broker = await Broker.withTransaction();
  broker.stateLog.fits = () => false;
  await broker.pass(TIMEOUT_MS);
  broker.stateLog.fits = () => true;
  expect(await broker.coordinator.end('x', broker.producer, true)).toBe(0);
  await broker.coordinator.add('x', broker.producer, { partitions: [AT] });
  await broker.pass(TIMEOUT_MS / 2);
  expect(broker.state()).toBe('Ongoing');
  expect(broker.partitions.markers).toEqual(['t-0 0/0 commit']);
});

it('full disk: a broker that stops does not wait for space', async () => {
  const broker = await Broker.withTransaction();
  broker.stateLog.fits = (value) => !value!.includes('Complete');
  const ending = broker.coordinator.end('x', broker.producer, true);
  await broker.pass(1_000);
  expect(await ending).toBe(0);
  const closing = broker.coordinator.close();
  await broker.pass(1_000);
  await closing;
  expect(broker.state()).toBe('PrepareCommit');
});
