/** Source offsets of all connectors, owned by the offsets topic. Source: connect-runtime §1.5. */
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { CompactedLog, KeyValue } from './compacted-log';
import {
  partitionIdentity,
  readOffsetValue,
  writeOffsetKey,
  writeOffsetValue,
  type PartitionOrder,
} from './offset-keys';
import { OffsetTable } from './offset-table';
import { messageOf } from './retry';
import { plainValue } from './json-values';

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
    return partitions.map((partition) => this.lookUp(connector, partitionIdentity(partition)));
  }

  /** Every stored partition of a connector with its offset, after reading to the end. */
  async list(connector: string): Promise<[SourcePartition, SourceOffset | null][]> {
    await this.log.readToEnd();
    return this.table
      .partitions(connector)
      .map((partition) => [
        plainValue(partition) as SourcePartition,
        this.lookUp(connector, partitionIdentity(partition)),
      ]);
  }

  /**
   * Resolves when all are acknowledged. A partition that is known is written under the key bytes it has, in each form when there
   * are several, because Java looks offsets up by bytes. Nothing is written when one of them can not be.
   */
  async write(
    connector: string,
    offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
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

  private lookUp(connector: string, identity: string): SourceOffset | null {
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
