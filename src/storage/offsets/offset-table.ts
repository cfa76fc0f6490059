/**
 * The offsets topic in memory: exact key bytes → value bytes, and which keys denote the same source partition.
 * Source: connect-runtime §1.5.2 and §1.5.3.
 */
import type { LogRecord } from '../log/compacted-log';
import { partitionIdentity, readOffsetKey } from './offset-keys';
import type { JsonObject } from '../connect-json';

interface Form {
  readonly key: Buffer;
  value: Buffer | null;
  timestamp: number;
  /** Order of arrival, for equal timestamps. */
  sequence: number;
}

interface StoredPartition {
  readonly partition: JsonObject | null;
  /** By the key's bytes as latin1 text. */
  readonly forms: Map<string, Form>;
}

export class OffsetTable {
  private readonly connectors = new Map<string, Map<string, StoredPartition>>();
  private sequence = 0;

  /** False when the key is not an offset key. */
  apply({ key, value, timestamp }: LogRecord): boolean {
    const parsed = key === null ? null : readOffsetKey(key);
    if (key === null || parsed === null) return false;
    const { connector, partition } = parsed;
    const identity = partitionIdentity(partition);
    const bytes = key.toString('latin1');
    if (value === null) {
      this.remove(connector, identity, bytes);
      return true;
    }
    let partitions = this.connectors.get(connector);
    if (!partitions) this.connectors.set(connector, (partitions = new Map<string, StoredPartition>()));
    let stored = partitions.get(identity);
    if (!stored) partitions.set(identity, (stored = { partition, forms: new Map() }));
    const form = stored.forms.get(bytes);
    const sequence = this.sequence++;
    if (form) Object.assign(form, { value: Buffer.from(value), timestamp, sequence });
    else stored.forms.set(bytes, { key: Buffer.from(key), value: Buffer.from(value), timestamp, sequence });
    return true;
  }

  /** The newest value under any key of the partition. */
  value(connector: string, identity: string): Buffer | null {
    let newest: Form | null = null;
    for (const form of this.forms(connector, identity))
      if (
        newest === null ||
        form.timestamp > newest.timestamp ||
        (form.timestamp === newest.timestamp && form.sequence > newest.sequence)
      )
        newest = form;
    return newest?.value ?? null;
  }

  /** All current keys of the partition. */
  keys(connector: string, identity: string): Buffer[] {
    return this.forms(connector, identity).map((form) => form.key);
  }

  /** All known partitions except a null partition. */
  partitions(connector: string): JsonObject[] {
    const found: JsonObject[] = [];
    for (const { partition } of this.connectors.get(connector)?.values() ?? [])
      if (partition !== null) found.push(partition);
    return found;
  }

  private forms(connector: string, identity: string): Form[] {
    return [...(this.connectors.get(connector)?.get(identity)?.forms.values() ?? [])];
  }

  private remove(connector: string, identity: string, bytes: string): void {
    const partitions = this.connectors.get(connector);
    const stored = partitions?.get(identity);
    stored?.forms.delete(bytes);
    if (stored?.forms.size === 0) partitions?.delete(identity);
    if (partitions?.size === 0) this.connectors.delete(connector);
  }
}
