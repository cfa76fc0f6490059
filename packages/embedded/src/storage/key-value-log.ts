/** The persistent state of the coordinators: the last value of each key, as in a compacted topic. */
export interface KeyValueLog {
  /**
   * Null deletes the key. Resolves, in call order, when the change is flushed as the fsync policy requires, or in any
   * case with `flush`.
   */
  append(key: string, value: string | null, options?: { readonly flush?: boolean }): Promise<void>;
  /** The last value of each key, ordered by last change. Called once, before the first append. */
  load(): AsyncIterable<[key: string, value: string]>;
  /** Waits for pending appends. */
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
