/** Where the registry keeps its state: a compacted log, in which the newest value of a key counts. */

export type LogListener = (key: string, value: string | null) => void;

export interface RegistryLog {
  /** Resolves when all existing records have been passed to the listener, which then gets each further one. */
  start(listener: LogListener): Promise<void>;
  /** Resolves when the record is stored and has been passed to the listener. A null value deletes the key's. */
  append(key: string, value: string | null): Promise<void>;
  close(): Promise<void>;
}

/** For tests: the records end with the process. */
export function memoryLog(): RegistryLog {
  const records = new Map<string, string | null>();
  let listener: LogListener = () => undefined;
  return {
    start: async (given) => {
      listener = given;
      for (const [key, value] of records) listener(key, value);
    },
    append: async (key, value) => {
      // The newest record of a key is the last one, as after compaction.
      records.delete(key);
      records.set(key, value);
      listener(key, value);
    },
    close: async () => undefined,
  };
}
