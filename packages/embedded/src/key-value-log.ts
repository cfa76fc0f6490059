/** Where the coordinators keep what must survive a restart: the last value of each key, as in a compacted topic. */
export interface KeyValueLog {
  /** Null deletes. Resolves when it is as durable as the broker's fsync policy makes it, in the order of the calls. */
  append(key: string, value: string | null): Promise<void>;
  /** The last value of each key, the key changed last at the end. Called once, before the first append. */
  load(): AsyncIterable<[key: string, value: string]>;
  /** What was appended before is written. */
  close(): Promise<void>;
}

/** For the in-memory mode and tests. */
export class MemoryKeyValueLog implements KeyValueLog {
  private readonly values = new Map<string, string>();

  append(key: string, value: string | null): Promise<void> {
    this.values.delete(key);
    if (value !== null) this.values.set(key, value);
    return Promise.resolve();
  }

  async *load(): AsyncIterable<[string, string]> {
    yield* this.values;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
