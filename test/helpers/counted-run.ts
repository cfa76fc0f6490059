/**
 * Numbered records pass through a topic during a fault, and at the end the arrivals are counted: in the log, with a
 * consumer that reads without a group, and with a group. Each of them shows lost, duplicated or reordered records.
 */
import type { AssignedConsumer, GroupConsumer, Producer, TopicPartition } from '../../packages/kafka-client/src/port';
import type { Clients } from './kafka-clients';
import { uniqueName } from './unique-name';
import { waitFor } from './wait-for';

const PARTITIONS = 2;
/** More than one round trip's worth, less than a fault of seconds would accumulate without a limit. */
const MOST_OUTSTANDING = 2_000;

/**
 * For clients whose requests must time out during a fault, and which must retry soon, for longer than a broker takes to
 * start.
 */
export const IMPATIENT = {
  'request.timeout.ms': '1000',
  'default.api.timeout.ms': '300000',
  'delivery.timeout.ms': '300000',
  'max.block.ms': '300000',
  'retry.backoff.ms': '10',
  'retry.backoff.max.ms': '200',
  'reconnect.backoff.ms': '10',
  'reconnect.backoff.max.ms': '200',
  'socket.connection.setup.timeout.ms': '1000',
};

type Numbers = number[][];
const none = (): Numbers => Array.from({ length: PARTITIONS }, () => []);
const numberOf = (value: Buffer | null): number => Number.parseInt(String(value), 10);

/** Writes numbers, every second one to the other partition. */
interface Writer {
  /** Per partition, the values acknowledged as written, in the order of the acknowledgements. */
  readonly acknowledged: Numbers;
  /** Failed values. */
  readonly failed: unknown[];
  /** Resolves to the values written per partition, once all of them are acknowledged or failed. */
  stop(): Promise<Numbers>;
  /** Stops writing. */
  close(): Promise<void>;
}

function write(producer: Producer, topic: string): Writer {
  const sent = none();
  const acknowledged = none();
  const failed: unknown[] = [];
  let next = 0;
  let open = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < 10 && open < MOST_OUTSTANDING; i++, open++, next++) {
      const partition = next % PARTITIONS;
      sent[partition]!.push(next);
      const value = Buffer.from(`${next} ${'x'.repeat(100)}`);
      producer.send(
        { topic, partition, key: null, value },
        (error, token) => {
          open--;
          if (error) failed.push(error);
          else acknowledged[partition]!.push(token);
        },
        next,
      );
    }
  }, 5);
  return {
    acknowledged,
    failed,
    async stop() {
      clearInterval(timer);
      await producer.flush();
      return sent;
    },
    close: async () => clearInterval(timer),
  };
}

/** Writes the same numbers in transactions of ten; one that was aborted is written again. */
function writeInTransactions(producer: Producer, topic: string): Writer {
  const acknowledged = none();
  const failed: unknown[] = [];
  let running = true;
  const transaction = async (from: number): Promise<boolean> => {
    producer.beginTransaction();
    for (let number = from; number < from + 10; number++) {
      const value = Buffer.from(`${number} ${'x'.repeat(100)}`);
      producer.send({ topic, partition: number % PARTITIONS, key: null, value });
    }
    try {
      await producer.commitTransaction();
      return true;
    } catch (error) {
      if ((error as { abortable?: boolean }).abortable !== true) throw error;
      await producer.abortTransaction();
      return false;
    }
  };
  const done = (async () => {
    for (let next = 0; running;) {
      if (!(await transaction(next))) continue;
      for (const end = next + 10; next < end; next++) acknowledged[next % PARTITIONS]!.push(next);
    }
  })().catch((error: unknown) => void failed.push(error));
  return {
    acknowledged,
    failed,
    async stop() {
      running = false;
      await done;
      return acknowledged;
    },
    close: async () => void (running = false),
  };
}

/** Reads until it is stopped. A reader in a group commits after every poll. */
class Reader {
  /** Commit errors and lost memberships: after either of them records may be delivered again. */
  readonly excuses: string[] = [];
  error: unknown;
  private running = true;
  private readonly done: Promise<void>;

  constructor(
    readonly consumer: AssignedConsumer | GroupConsumer,
    private readonly read: Numbers,
  ) {
    this.done = this.run().catch((error: unknown) => void (this.error = error));
  }

  private async run(): Promise<void> {
    while (this.running) {
      const batches = await this.consumer.poll(200);
      for (const { partition, records } of batches) {
        for (const { value } of records) this.read[partition]!.push(numberOf(value));
      }
      const offsets = batches.map(({ topic, partition, nextOffset: offset }) => ({ topic, partition, offset }));
      if (!('commit' in this.consumer) || offsets.length === 0) continue;
      await this.consumer.commit(offsets).catch((error: { code: string }) => void this.excuses.push(error.code));
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    this.consumer.wakeup();
    await this.done;
    await this.consumer.close();
  }
}

export interface RunOptions {
  /** (Default: false) */
  readonly transactions?: boolean;
  readonly producer?: Record<string, string>;
  readonly group?: Record<string, string>;
}

export class CountedRun {
  /** What consumers have read, in the order they read it. */
  private readonly alone = none();
  private readonly shared = none();
  private readonly readers: Reader[] = [];
  private readonly members: Reader[] = [];
  readonly groupId = uniqueName('counted');

  private constructor(
    private readonly clients: Clients,
    readonly topic: string,
    private readonly writer: Writer,
    private readonly options: RunOptions,
  ) {}

  static async start(clients: Clients, options: RunOptions = {}): Promise<CountedRun> {
    const topic = await clients.topic(PARTITIONS);
    const producer = await clients.producer(topic, {
      'enable.idempotence': 'true',
      // Longer than a broker outage: the open transaction must continue, not be aborted by the broker.
      ...(options.transactions
        ? { 'transactional.id': uniqueName('counted'), 'transaction.timeout.ms': '300000' }
        : {}),
      ...options.producer,
    });
    if (options.transactions) await producer.initTransactions();
    const writer = options.transactions ? writeInTransactions(producer, topic) : write(producer, topic);
    const run = new CountedRun(clients, topic, clients.own(writer), options);
    const partitions: TopicPartition[] = none().map((_, partition) => ({ topic, partition }));
    const consumer = await clients.assigned(run.isolation);
    consumer.assign(partitions);
    run.readers.push(new Reader(consumer, run.alone));
    await run.join();
    await run.passes(200);
    return run;
  }

  private get isolation(): Record<string, string> {
    return { 'isolation.level': this.options.transactions ? 'read_committed' : 'read_uncommitted' };
  }

  /** Adds a member to the group. Resolves to a function that makes it leave. */
  async join(): Promise<() => Promise<void>> {
    const config = { 'heartbeat.interval.ms': '200', 'session.timeout.ms': '6000', ...this.options.group };
    const consumer = await this.clients.group(this.groupId, { ...this.isolation, ...config });
    consumer.subscribe([this.topic], {
      onAssigned: () => undefined,
      onRevoked: () => undefined,
      onLost: () => void reader.excuses.push('lost'),
    });
    const reader = new Reader(consumer, this.shared);
    this.members.push(reader);
    return () => reader.stop();
  }

  /** How many members have partitions. */
  get busyMembers(): number {
    return this.members.filter(({ consumer }) => (consumer as GroupConsumer).assignment().length > 0).length;
  }

  /** Resolves when that many more records have passed through everything. */
  async passes(count: number): Promise<void> {
    const total = (numbers: Numbers): number => numbers.reduce((sum, { length }) => sum + length, 0);
    const stages = [this.writer.acknowledged, this.alone, this.shared];
    const goals = stages.map((numbers) => total(numbers) + count);
    const detail = (): string => `written, read alone, read shared: ${stages.map(total).join()}; ${this.complaints()}`;
    const passed = (): boolean => stages.every((numbers, stage) => total(numbers) >= goals[stage]!);
    await waitFor(`${count} records to go through`, () => this.complaints() !== '' || passed(), {
      timeoutMs: 120_000,
      detail,
    });
    expect(this.complaints()).toBe('');
  }

  private complaints(): string {
    const errors = [...this.writer.failed, ...[...this.readers, ...this.members].map(({ error }) => error)];
    return errors.filter((error) => error !== undefined).join('; ');
  }

  /** Stops writing, lets the consumers read to the end, and compares: 0 lost, 0 duplicated, 0 reordered. */
  async finish(): Promise<void> {
    const sent = await this.writer.stop();
    expect(this.complaints()).toBe('');
    expect(this.writer.acknowledged).toEqual(sent);
    const lastOf = (numbers: Numbers): (number | undefined)[] => numbers.map((list) => list.at(-1));
    await waitFor(
      'everything to be read',
      () => [this.alone, this.shared].every((read) => String(lastOf(read)) === String(lastOf(sent))),
      { timeoutMs: 120_000, detail: () => `${lastOf(sent)}; ${lastOf(this.alone)}; ${lastOf(this.shared)}` },
    );
    await Promise.all([...this.readers, ...this.members].map((reader) => reader.stop()));
    expect(this.complaints()).toBe('');
    expect(this.alone).toEqual(sent);
    // A group's records may be delivered again after a lost membership or a failed commit, in order from the last
    // commit.
    const repeats = this.members.some(({ excuses }) => excuses.length > 0);
    expect(repeats ? this.shared.map((numbers) => [...new Set(numbers)]) : this.shared).toEqual(sent);
  }
}
