/**
 * What a read_committed consumer sees of versioned rows, and every way in which that is not exactly once: each change
 * committed after the snapshot is streamed once and in order, and each row is read at most once, as it was then.
 */
import { createAdmin } from '../../packages/kafka-client/src/admin/admin';
import { createAssignedConsumer } from '../../packages/kafka-client/src/consumer/assigned-consumer';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import type { AssignedConsumer, TopicPartition } from '@millrace/kafka-client';
import { silentLogger } from '../../src/logging/logger';
import { GONE } from './versioned-rows';

interface Event {
  readonly op: string;
  readonly before: { readonly id: number } | null;
  readonly after: { readonly id: number; readonly v: number } | null;
}

/** Numbers of records, changes or rows. */
export interface Faults {
  /** Changes that are not there. */
  readonly lost: number;
  /** Further records of a change. */
  readonly repeated: number;
  /** Changes that were never committed. */
  readonly invented: number;
  /** Changes after a later one of the same row. */
  readonly outOfOrder: number;
  /** Further reads of a row. */
  readonly readAgain: number;
  /** Reads of a row that had changed, or after a change of it. */
  readonly readLate: number;
  /** Deleted rows that are alive. */
  readonly ghosts: number;
  /** Rows with another last version. */
  readonly stale: number;
}

export class ExactHistory {
  reads = 0;
  changes = 0;
  /** When the first and the last row of the newest snapshot were sent, in milliseconds since the epoch. */
  readBetween: readonly [number, number] = [Infinity, 0];
  /** Version of the last event of each row, by "table id". */
  readonly last = new Map<string, number>();
  private readonly seen = new Map<string, number>();
  /** By the newest snapshot. */
  private readonly read = new Set<string>();
  /** Since the newest snapshot. */
  private readonly changed = new Set<string>();
  /** Versions when the newest snapshot began; 0 without one. */
  private base: ReadonlyMap<string, number> = new Map();
  private outOfOrder = 0;
  private readAgain = 0;
  private readLate = 0;

  /** Expects another snapshot. @param base the version of each row then, by "table id" */
  readAgainFrom(base: ReadonlyMap<string, number>): void {
    this.base = base;
    this.read.clear();
    this.changed.clear();
    this.readBetween = [Infinity, 0];
  }

  /** Expects no snapshot: these versions are known. */
  knows(base: ReadonlyMap<string, number>): void {
    for (const [row, version] of base) this.last.set(row, version);
  }

  add(table: string, { op, before, after }: Event, sentAt: number): void {
    const row = `${table} ${(after ?? before)?.id}`;
    const version = op === 'd' ? GONE : (after?.v as number);
    const newest = this.last.get(row);
    if (op === 'r') {
      this.reads++;
      const [first, last] = this.readBetween;
      this.readBetween = [Math.min(first, sentAt), Math.max(last, sentAt)];
      if (this.read.has(row)) this.readAgain++;
      else if (this.changed.has(row) || version !== (this.base.get(row) ?? 0)) this.readLate++;
      this.read.add(row);
    } else {
      this.changes++;
      this.changed.add(row);
      const change = `${row} ${version}`;
      this.seen.set(change, (this.seen.get(change) ?? 0) + 1);
      if (newest !== undefined && version < newest) this.outOfOrder++;
    }
    this.last.set(row, version);
  }

  /** The changes of these, "table id version", that are not there. */
  lost(committed: readonly string[]): string[] {
    return committed.filter((change) => !this.seen.has(change));
  }

  /**
   * @param committed "table id version" of each change since the snapshot
   * @param rows the version of each row in the database, by "table id"
   */
  faults(committed: readonly string[], rows: ReadonlyMap<string, number>): Faults {
    const known = new Set(committed);
    const { outOfOrder, readAgain, readLate } = this;
    return {
      lost: this.lost(committed).length,
      repeated: [...this.seen.values()].reduce((sum, count) => sum + count - 1, 0),
      invented: [...this.seen.keys()].filter((change) => !known.has(change)).length,
      ...{ outOfOrder, readAgain, readLate },
      ghosts: [...this.last].filter(([row, version]) => version !== GONE && !rows.has(row)).length,
      stale: [...rows].filter(([row, version]) => this.last.get(row) !== version).length,
    };
  }
}

/** Follows the topics `<prefix>.public.<table>` as a read_committed consumer does. */
export class HistoryFollower {
  readonly history = new ExactHistory();
  private readonly consumer: AssignedConsumer;
  private readonly partitions: readonly TopicPartition[];
  private ending = false;
  private readonly following: Promise<void>;

  constructor(
    private readonly bootstrapServers: string,
    private readonly prefix: string,
    tables: readonly string[],
    partitionsPerTopic: number,
  ) {
    const config = {
      'bootstrap.servers': bootstrapServers,
      'auto.offset.reset': 'earliest',
      'isolation.level': 'read_committed',
    };
    this.consumer = createAssignedConsumer(createWire(config), config, silentLogger);
    this.partitions = tables.flatMap((table) =>
      Array.from({ length: partitionsPerTopic }, (_, partition) => ({ topic: `${prefix}.public.${table}`, partition })),
    );
    this.following = this.follow();
  }

  /** Resolves when everything that the topics have now is read; there must be no open transaction. */
  async toEnd(): Promise<void> {
    const config = { 'bootstrap.servers': this.bootstrapServers };
    const admin = createAdmin(createWire(config), { timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
    const ends = await admin.listOffsets([...this.partitions], 'latest');
    await admin.close();
    const isRead = (): boolean =>
      ends.every(({ topic, partition, offset }) => (this.consumer.position({ topic, partition }) ?? 0) >= offset);
    for (const limit = Date.now() + 60_000; !isRead(); await new Promise((resolve) => setTimeout(resolve, 50)))
      if (Date.now() > limit) throw new Error('the topics could not be read to their ends');
  }

  async close(): Promise<void> {
    this.ending = true;
    await this.following;
    await this.consumer.close();
  }

  private async follow(): Promise<void> {
    await this.consumer.connect();
    this.consumer.assign(this.partitions);
    while (!this.ending)
      for (const { topic, records } of await this.consumer.poll(200))
        for (const { value, timestamp } of records)
          if (value !== null)
            this.history.add(
              topic.slice(`${this.prefix}.public.`.length),
              JSON.parse(String(value)) as Event,
              timestamp,
            );
  }
}
