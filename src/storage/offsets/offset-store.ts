/** Source offsets of all connectors, stored in the offsets topic. Source: connect-runtime §1.5. */
import { type SourceOffset, type SourcePartition, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { CompactedLog, KeyValue } from '../log/compacted-log';
import { plainValue, type JsonObject } from '../connect-json';
import {
  partitionIdentity,
  readOffsetValue,
  writeOffsetKey,
  writeOffsetValue,
  type PartitionOrder,
} from './offset-keys';
import { OffsetTable } from './offset-table';

/** A null offset removes the stored one. */
export type WrittenOffset = readonly [
  partition: SourcePartition | JsonObject | null,
  offset: SourceOffset | JsonObject | null,
];

/** Source offsets of connectors, in one topic or two. */
export interface SourceOffsets {
  /** How new partitions of this connector are written. (Default: `hash-map`) */
  setPartitionOrder(connector: string, order: PartitionOrder): void;
  /** Reads the topic to its end first. Null: no offset, or no readable one, is stored. */
  read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]>;
  /**
   * All stored partitions of a connector with their offsets, after reading to the end. JSON values, because `1`
   * and `1.0` are different partitions. Null: the offset is not readable.
   */
  list(connector: string): Promise<[JsonObject, JsonObject | null][]>;
  /** Resolves when all are acknowledged. Writes nothing if one of them is invalid. */
  write(connector: string, offsets: readonly WrittenOffset[]): Promise<void>;
  /** Resolves when all writes of this worker are acknowledged or have failed. */
  flush(): Promise<void>;
}

/** For tasks that write their offsets in their own transactions. */
export interface TransactionalOffsets extends SourceOffsets {
  /**
   * The records that `write` would write to the first topic, for a task to write in its transaction. Offsets to remove
   * are removed from the second topic before this resolves.
   */
  encode(connector: string, offsets: readonly WrittenOffset[]): Promise<KeyValue[]>;
  /** Starts to copy offsets, committed in a transaction, to the second topic. */
  copy(connector: string, offsets: readonly WrittenOffset[]): void;
}

export class OffsetStore implements TransactionalOffsets {
  private readonly table = new OffsetTable();
  private readonly orders = new Map<string, PartitionOrder>();

  constructor(
    private readonly log: CompactedLog,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    await this.log.start((record) => {
      if (!this.table.apply(record))
        this.logger.warn(`The offsets topic's record at offset ${record.offset} has no readable key`, {
          partition: record.partition,
        });
    });
  }

  async stop(): Promise<void> {
    await this.log.stop();
  }

  setPartitionOrder(connector: string, order: PartitionOrder): void {
    this.orders.set(connector, order);
  }

  async read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]> {
    await this.log.readToEnd();
    return partitions.map((partition) => {
      const offset = this.lookUp(connector, partitionIdentity(partition));
      return offset && (plainValue(offset) as SourceOffset);
    });
  }

  async list(connector: string): Promise<[JsonObject, JsonObject | null][]> {
    await this.log.readToEnd();
    return this.table
      .partitions(connector)
      .map((partition) => [partition, this.lookUp(connector, partitionIdentity(partition))]);
  }

  async write(connector: string, offsets: readonly WrittenOffset[]): Promise<void> {
    await this.log.write(await this.encode(connector, offsets));
  }

  /**
   * A known partition is written with its existing key bytes, and with all of them if there are several, because Java
   * looks up offsets by key bytes.
   */
  async encode(connector: string, offsets: readonly WrittenOffset[]): Promise<KeyValue[]> {
    const order = this.orders.get(connector) ?? 'hash-map';
    const records: KeyValue[] = [];
    for (const [partition, offset] of offsets) {
      const value = writeOffsetValue(offset);
      const ownKey = writeOffsetKey(connector, partition, order);
      const known = this.table.keys(connector, partitionIdentity(partition));
      for (const key of known.length > 0 ? known : [ownKey]) records.push([key, value]);
    }
    return records;
  }

  /** There is no second topic. */
  copy(): void {}

  async flush(): Promise<void> {
    await this.log.flush();
  }

  private lookUp(connector: string, identity: string): JsonObject | null {
    const bytes = this.table.value(connector, identity);
    if (bytes === null) return null;
    try {
      return readOffsetValue(bytes);
    } catch (error) {
      this.logger.error(`A stored offset of connector ${connector} cannot be read and is treated as missing`, {
        partition: identity,
        reason: messageOf(error),
      });
      return null;
    }
  }
}
