/** Producers that write through faults of their broker, and what it has acknowledged to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKafkaClients } from '@millrace/kafka-client/clients';
import type { ClientConfig, Producer } from '@millrace/kafka-client';
import { silentLogger } from '../../src/logging/logger';
import type { Seeded } from '../../test/helpers/seeded';

export const TOPICS = ['idempotent', 'transactional'] as const;
export const PARTITIONS = 2;
const PER_SEND = 10;
const PER_TRANSACTION = 5;
/** Of a transaction that its producer abandons. */
const ABANDONED_TIMEOUT_MS = 2_000;

/** Values of records by the number of power failures before their acknowledgement. */
export class Acknowledged {
  /** Power failures so far. */
  failures = 0;
  readonly values = new Map<string, number>();

  add(values: readonly string[]): void {
    for (const value of values) this.values.set(value, this.failures);
  }
}

abstract class Writer {
  private working = true;
  private isPaused = true;
  private resume: () => void = () => undefined;
  private idle: () => void = () => undefined;
  private ended: Promise<void> = Promise.resolve();
  private sent = 0;

  constructor(
    protected readonly name: string,
    protected readonly config: ClientConfig,
    protected readonly acknowledged: Acknowledged,
    protected readonly random: Seeded,
  ) {}

  /** One unit of work, after which the writer may be paused. */
  protected abstract work(): Promise<void>;
  protected abstract close(): Promise<void>;

  start(): void {
    this.isPaused = false;
    this.ended = this.run();
  }

  continue(): void {
    this.isPaused = false;
    this.resume();
  }

  /** Resolves when no record is in flight and no transaction is open; false: not within that time. */
  async pause(withinMs: number): Promise<boolean> {
    const idle = new Promise<true>((resolve) => (this.idle = () => resolve(true)));
    this.isPaused = true;
    return await Promise.race([idle, sleep(withinMs, false, { ref: false })]);
  }

  async stop(): Promise<void> {
    this.working = false;
    this.continue();
    await Promise.race([this.ended, sleep(5_000, undefined, { ref: false })]);
    await this.close();
  }

  private async run(): Promise<void> {
    while (this.working) {
      if (this.isPaused) {
        this.idle();
        await new Promise<void>((resolve) => (this.resume = resolve));
        continue;
      }
      await this.work();
      await sleep(2 + this.random.below(20));
    }
  }

  protected values(count: number): string[] {
    return Array.from({ length: count }, () => `${this.name} ${this.sent++}`);
  }

  /** Resolves with the values that are acknowledged. */
  protected async send(producer: Producer, topic: string, values: readonly string[]): Promise<string[]> {
    const written: string[] = [];
    const partition = this.random.below(PARTITIONS);
    for (const value of values) {
      producer.send({ topic, partition, key: null, value: Buffer.from(value) }, (error) => {
        if (error === null) written.push(value);
      });
    }
    await producer.flush();
    return written;
  }
}

/** One producer all the time, or with `isRenewed` a new one for each send, as short programs have. */
export class IdempotentWriter extends Writer {
  private producer: Producer | null = null;

  constructor(
    private readonly isRenewed: boolean,
    ...rest: ConstructorParameters<typeof Writer>
  ) {
    super(...rest);
  }

  protected async work(): Promise<void> {
    try {
      if (this.producer === null) {
        this.producer = createKafkaClients(silentLogger).producer(this.config);
        await this.producer.connect();
        await this.producer.prepare(TOPICS);
      }
      this.acknowledged.add(await this.send(this.producer, 'idempotent', this.values(PER_SEND)));
    } catch {
      await this.close();
    }
    if (this.isRenewed) await this.close();
  }

  protected async close(): Promise<void> {
    await this.producer?.close(0);
    this.producer = null;
  }
}

/** Commits most transactions, aborts some, and abandons some, which the broker must abort. */
export class TransactionalWriter extends Writer {
  private producer: Producer | null = null;
  commits = 0;
  aborts = 0;
  abandoned = 0;
  errors = 0;
  /** Of the newest failure. */
  error = '';

  protected async work(): Promise<void> {
    const { acknowledged } = this;
    try {
      this.producer ??= await this.open();
      const began = acknowledged.failures;
      this.producer.beginTransaction();
      const values = this.values(PER_TRANSACTION);
      const written = await this.send(this.producer, 'transactional', values);
      if (this.random.chance(0.03)) {
        this.abandoned++;
        await this.close();
      } else if (written.length < values.length || this.random.chance(0.1)) {
        await this.producer.abortTransaction();
        this.aborts++;
      } else {
        await this.producer.commitTransaction();
        this.commits++;
        // A part of it may have been lost between its records and its end, where that is allowed.
        if (acknowledged.failures === began) acknowledged.add(written);
      }
    } catch (error) {
      this.errors++;
      this.error = String(error);
      await this.close();
    }
  }

  private async open(): Promise<Producer> {
    const config = {
      ...this.config,
      'transactional.id': this.name,
      'transaction.timeout.ms': String(ABANDONED_TIMEOUT_MS),
    };
    const producer = createKafkaClients(silentLogger).producer(config);
    try {
      await producer.connect();
      await producer.initTransactions();
      await producer.prepare(TOPICS);
      return producer;
    } catch (error) {
      await producer.close(0);
      throw error;
    }
  }

  protected async close(): Promise<void> {
    await this.producer?.close(0);
    this.producer = null;
  }
}
