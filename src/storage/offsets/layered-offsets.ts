/**
 * Offsets of a connector with its own offsets topic. That topic has precedence; the worker's has a copy, so that
 * the connector can resume when the setting is removed. Source: connect-runtime §1.5.4.
 */
import { type SourceOffset, type SourcePartition, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { JsonObject } from '../connect-json';
import { partitionIdentity, type PartitionOrder } from './offset-keys';
import type { KeyValue } from '../log/compacted-log';
import type { SourceOffsets, TransactionalOffsets, WrittenOffset } from './offset-store';

export class LayeredOffsets implements TransactionalOffsets {
  constructor(
    private readonly primary: TransactionalOffsets,
    private readonly secondary: SourceOffsets,
    private readonly logger: Logger,
  ) {}

  setPartitionOrder(connector: string, order: PartitionOrder): void {
    this.primary.setPartitionOrder(connector, order);
    this.secondary.setPartitionOrder(connector, order);
  }

  async read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]> {
    // Copies of the task before this one, which may have had another primary topic.
    await this.secondary.flush();
    const [own, shared] = await Promise.all([
      this.primary.read(connector, partitions),
      this.secondary.read(connector, partitions),
    ]);
    return own.map((offset, i) => offset ?? shared[i] ?? null);
  }

  async list(connector: string): Promise<[JsonObject, JsonObject | null][]> {
    const [own, shared] = await Promise.all([this.primary.list(connector), this.secondary.list(connector)]);
    const listed = new Map<string, [JsonObject, JsonObject | null]>();
    for (const entry of [...shared, ...own]) listed.set(partitionIdentity(entry[0]), entry);
    return [...listed.values()];
  }

  /**
   * Removes offsets from the worker's topic first, so that a crash cannot restore them. New offsets are copied
   * there last, and the connector does not wait for the copy.
   */
  async write(connector: string, offsets: readonly WrittenOffset[]): Promise<void> {
    await this.removeCopies(connector, offsets);
    await this.primary.write(connector, offsets);
    this.copy(connector, offsets);
  }

  async encode(connector: string, offsets: readonly WrittenOffset[]): Promise<KeyValue[]> {
    // First, because an invalid offset must not have an effect.
    const records = await this.primary.encode(connector, offsets);
    await this.removeCopies(connector, offsets);
    return records;
  }

  copy(connector: string, offsets: readonly WrittenOffset[]): void {
    const set = offsets.filter(([, offset]) => offset !== null);
    if (set.length === 0) return;
    this.secondary
      .write(connector, set)
      .catch((error: unknown) =>
        this.logger.warn(
          `The offsets of connector ${connector} are stored in its own topic, but cannot be copied to the worker's: ${messageOf(error)}`,
        ),
      );
  }

  private async removeCopies(connector: string, offsets: readonly WrittenOffset[]): Promise<void> {
    const removed = offsets.filter(([, offset]) => offset === null);
    if (removed.length > 0) await this.secondary.write(connector, removed);
  }

  async flush(): Promise<void> {
    await Promise.all([this.primary.flush(), this.secondary.flush()]);
  }
}
