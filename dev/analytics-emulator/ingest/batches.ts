/**
 * Collects blobs that go into a table together until time, count or size says enough. No I/O. Source: analytics-sink
 * §7.4.
 */
import type { IngestionMessage } from './message';

export interface BatchingPolicy {
  readonly timeMs: number;
  readonly items: number;
  readonly bytes: number;
}

export interface Batch<T> {
  readonly items: T[];
}

interface OpenBatch<T> extends Batch<T> {
  bytes: number;
  timer: NodeJS.Timeout;
}

export class Batches<T extends { readonly message: IngestionMessage }> {
  private readonly open = new Map<string, OpenBatch<T>>();

  constructor(
    private readonly policyOf: (message: IngestionMessage) => BatchingPolicy,
    private readonly onSealed: (batch: Batch<T>) => void,
  ) {}

  get isEmpty(): boolean {
    return this.open.size === 0;
  }

  add(item: T): void {
    const { message } = item;
    const key = batchKey(message);
    const policy = this.policyOf(message);
    let batch = this.open.get(key);
    if (!batch) {
      batch = { items: [], bytes: 0, timer: setTimeout(() => this.seal(key), policy.timeMs) };
      this.open.set(key, batch);
    }
    batch.items.push(item);
    batch.bytes += message.rawDataSize ?? 0;
    if (goesAlone(message) || batch.items.length >= policy.items || batch.bytes >= policy.bytes) this.seal(key);
  }

  /** Everything that waits goes now. */
  sealAll(): void {
    for (const key of [...this.open.keys()]) this.seal(key);
  }

  private seal(key: string): void {
    const batch = this.open.get(key);
    if (!batch) return;
    clearTimeout(batch.timer);
    this.open.delete(key);
    this.onSealed(batch);
  }
}

function batchKey({ database, table, format, mapping, mappingReference, tags }: IngestionMessage): string {
  return JSON.stringify([database.toLowerCase(), table, format, mapping, mappingReference, tags]);
}

function goesAlone({ flushImmediately, rawDataSize, ingestIfNotExists, tags }: IngestionMessage): boolean {
  return (
    flushImmediately ||
    rawDataSize === null ||
    ingestIfNotExists.length > 0 ||
    tags.some((tag) => tag.startsWith('ingest-by:'))
  );
}
