/** Identifies a task in its group, as in Java. */
export interface ConnectorTaskId {
  readonly connector: string;
  /** Counts from 0. */
  readonly task: number;
}
