/** Source offsets of all connectors, owned by the offsets topic. Source: connect-runtime §1.5. */
import { type SourceOffset, type SourcePartition, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { CompactedLog, KeyValue } from '../log/compacted-log';
import { plainValue, type JsonObject } from '../json/json-values';
import {
  partitionIdentity,
  readOffsetValue,
  writeOffsetKey,
  writeOffsetValue,
  type PartitionOrder,
} from './offset-keys';
import { OffsetTable } from './offset-table';

/** An offset of null removes what is stored. */
export type WrittenOffset = readonly [
  partition: SourcePartition | JsonObject | null,
  offset: SourceOffset | JsonObject | null,
];

/** The source offsets of connectors, wherever they are kept. */
export interface SourceOffsets {
  /** How new partitions of this connector are written. (Default: `hash-map`) */
  setPartitionOrder(connector: string, order: PartitionOrder): void;
  /** Reads the topic to its end first. Null where nothing, or nothing readable, is stored. */
  read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]>;
  /**
   * Every stored partition of a connector with its offset, after reading to the end: as JSON has them, since `1` and
   * `1.0` are different partitions. Null: the offset is not readable.
   */
  list(connector: string): Promise<[JsonObject, JsonObject | null][]>;
  /** Resolves when all are acknowledged. Nothing is written when one of them can not be. */
  write(connector: string, offsets: readonly WrittenOffset[]): Promise<void>;
  /** Resolves when everything this worker has written was acknowledged or has failed. */
  flush(): Promise<void>;
}

export class OffsetStore implements SourceOffsets {
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

  /**
   * A partition that is known is written under the key bytes it has, in each form when there are several, because Java
   * looks offsets up by bytes.
   */
  async write(connector: string, offsets: readonly WrittenOffset[]): Promise<void> {
    const order = this.orders.get(connector) ?? 'hash-map';
    const records: KeyValue[] = [];
    for (const [partition, offset] of offsets) {
      const value = writeOffsetValue(offset);
      const ownKey = writeOffsetKey(connector, partition, order);
      const known = this.table.keys(connector, partitionIdentity(partition));
      for (const key of known.length > 0 ? known : [ownKey]) records.push([key, value]);
    }
    await this.log.write(records);
  }

  async flush(): Promise<void> {
    await this.log.flush();
  }

  private lookUp(connector: string, identity: string): JsonObject | null {
    const bytes = this.table.value(connector, identity);
    if (bytes === null) return null;
    try {
      return readOffsetValue(bytes);
    } catch (error) {
      this.logger.error(`A stored offset of connector ${connector} can not be read, it counts as missing`, {
        partition: identity,
        reason: messageOf(error),
      });
      return null;
    }
  }
}
