/** Source offsets of all connectors, owned by the offsets topic. Source: connect-runtime §1.5. */
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { CompactedLog, KeyValue } from './compacted-log';
import { plainValue, type JsonObject } from './json-values';
import {
  partitionIdentity,
  readOffsetValue,
  writeOffsetKey,
  writeOffsetValue,
  type PartitionOrder,
} from './offset-keys';
import { OffsetTable } from './offset-table';
import { messageOf } from './retry';

export class OffsetStore {
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

  /** How new partitions of this connector are written. (Default: `hash-map`) */
  setPartitionOrder(connector: string, order: PartitionOrder): void {
    this.orders.set(connector, order);
  }

  /** Reads the topic to its end first. Null where nothing, or nothing readable, is stored. */
  async read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]> {
    await this.log.readToEnd();
    return partitions.map((partition) => {
      const offset = this.lookUp(connector, partitionIdentity(partition));
      return offset && (plainValue(offset) as SourceOffset);
    });
  }

  /**
   * Every stored partition of a connector with its offset, after reading to the end: as JSON has them, since `1` and `1.0` are different
   * partitions. Null: the offset is not readable.
   */
  async list(connector: string): Promise<[JsonObject, JsonObject | null][]> {
    await this.log.readToEnd();
    return this.table
      .partitions(connector)
      .map((partition) => [partition, this.lookUp(connector, partitionIdentity(partition))]);
  }

  /**
   * Resolves when all are acknowledged. A partition that is known is written under the key bytes it has, in each form when there
   * are several, because Java looks offsets up by bytes. Nothing is written when one of them can not be.
   */
  async write(
    connector: string,
    offsets: readonly (readonly [SourcePartition | JsonObject | null, SourceOffset | JsonObject | null])[],
  ): Promise<void> {
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

  /** Resolves when everything this worker has written was acknowledged or has failed. */
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
