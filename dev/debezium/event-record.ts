/** JSON texts of a schema and of its value, as Java's JsonConverter writes them; null for none. */
export type Data = readonly [schema: string | null, value: string | null];

/** A source record in a form that both sides have. */
export interface EventRecord {
  readonly topic: string;
  readonly partition: number | null;
  readonly timestamp: number | null;
  readonly key: Data;
  readonly value: Data;
  readonly headers: readonly (readonly [name: string, schema: string | null, value: string | null])[];
  readonly sourcePartition: Readonly<Record<string, unknown>>;
  readonly sourceOffset: Readonly<Record<string, unknown>>;
}

/** A running source task of either side. */
export interface TaskUnderTest {
  /** In the order in which the task returned them. */
  readonly records: EventRecord[];
  /** Why the task failed, or null. */
  readonly failure: string | null;
  /** Starts a task with this connector config; records of the one before are dropped. */
  start(config: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
  logged(): string;
}
