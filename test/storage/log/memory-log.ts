/** One topic in memory, shared by any number of logs; for the logic above the log. */
import type { RecordHeader } from '../../../packages/kafka-client/src/port';
import type { CompactedLog, LogEntry, LogListener } from '../../../src/storage/log/compacted-log';

export interface StoredRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

export class MemoryTopic {
  readonly records: StoredRecord[] = [];
  private readonly logs = new Set<MemoryLog>();
  private next = 0;
  /** Called before each write; may throw. */
  beforeWrite: (record: LogEntry) => void = () => undefined;

  attach(log: MemoryLog): void {
    this.logs.add(log);
  }
  detach(log: MemoryLog): void {
    this.logs.delete(log);
  }
  append(
    key: string | Uint8Array | null,
    value: string | Uint8Array | null,
    timestamp = this.next,
    headers: readonly RecordHeader[] = [],
  ): void {
    const bytes = (x: string | Uint8Array | null): Buffer | null => (x === null ? null : Buffer.from(x));
    this.records.push({ offset: this.next++, timestamp, key: bytes(key), value: bytes(value), headers });
    for (const log of this.logs) log.deliver();
  }
  /** Offsets that hold no data record: transaction markers, compacted records. */
  skipOffsets(count: number): void {
    this.next += count;
  }
  /** `key=value` of every record, `key=∅` for tombstones. */
  texts(): string[] {
    return this.records.map(({ key, value }) => `${key?.toString() ?? '∅'}=${value?.toString() ?? '∅'}`);
  }
}

export class MemoryLog implements CompactedLog {
  readonly partitions = 1;
  private listener: LogListener = () => undefined;
  private position = 0;
  private held = false;
  constructor(private readonly topic: MemoryTopic) {}

  /** Nothing is delivered until `release`. */
  hold(): void {
    this.held = true;
  }
  release(): void {
    this.held = false;
    this.deliver();
  }
  deliver(): void {
    while (!this.held && this.position < this.topic.records.length) {
      const record = this.topic.records[this.position++] as StoredRecord;
      this.listener({ partition: 0, ...record });
    }
  }
  async start(listener: LogListener): Promise<void> {
    this.listener = listener;
    this.topic.attach(this);
    this.deliver();
  }
  async write(records: readonly LogEntry[]): Promise<void> {
    for (const record of records) {
      this.topic.beforeWrite(record);
      this.topic.append(record[0], record[1], undefined, record[2]);
    }
  }
  async readToEnd(): Promise<void> {
    this.deliver();
  }
  async readWritten(): Promise<void> {
    await this.readToEnd();
  }
  async flush(): Promise<void> {}
  async stop(): Promise<void> {
    this.topic.detach(this);
  }
}
