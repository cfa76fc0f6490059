/** Immutable state of the config topic up to one offset. Source: connect-runtime §1.4. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { SessionKey, TargetState } from './config-records';

export interface ConfigSnapshotFields {
  /** Offset of the last data record + 1; -1 when none was read. */
  readonly offset: number;
  readonly connectorConfigs: ReadonlyMap<string, ConnectorConfig>;
  readonly targetStates: ReadonlyMap<string, TargetState>;
  readonly taskConfigs: ReadonlyMap<string, ReadonlyMap<number, ConnectorConfig>>;
  readonly taskCounts: ReadonlyMap<string, number>;
  readonly inconsistent: ReadonlySet<string>;
  /** Connectors with a connector or task record after their last commit record. */
  readonly uncommitted: ReadonlySet<string>;
  readonly appliedConfigs: ReadonlyMap<string, ConnectorConfig>;
  readonly generations: ReadonlyMap<string, number>;
  /** Tasks of the last generation that was admitted, by the `tasks-fencing-` records. */
  readonly taskCountRecords: ReadonlyMap<string, number>;
  /** Connectors whose last task count record precedes their last commit record. */
  readonly pendingFencing: ReadonlySet<string>;
  readonly sessionKey: SessionKey | null;
}

export class ConfigSnapshot {
  static readonly EMPTY = new ConfigSnapshot({
    offset: -1,
    connectorConfigs: new Map(),
    targetStates: new Map(),
    taskConfigs: new Map(),
    taskCounts: new Map(),
    inconsistent: new Set(),
    uncommitted: new Set(),
    appliedConfigs: new Map(),
    generations: new Map(),
    taskCountRecords: new Map(),
    pendingFencing: new Set(),
    sessionKey: null,
  });

  constructor(private readonly fields: ConfigSnapshotFields) {}

  get offset(): number {
    return this.fields.offset;
  }
  get sessionKey(): SessionKey | null {
    return this.fields.sessionKey;
  }
  connectors(): string[] {
    return [...this.fields.connectorConfigs.keys()];
  }
  contains(connector: string): boolean {
    return this.fields.connectorConfigs.has(connector);
  }
  /** As stored: placeholders are not resolved. */
  connectorConfig(connector: string): ConnectorConfig | null {
    return this.fields.connectorConfigs.get(connector) ?? null;
  }
  /** The connector config from which the committed task configs were created. */
  appliedConfig(connector: string): ConnectorConfig | null {
    return this.fields.appliedConfigs.get(connector) ?? null;
  }
  targetState(connector: string): TargetState {
    return this.fields.targetStates.get(connector) ?? 'STARTED';
  }
  taskCount(connector: string): number {
    return this.fields.taskCounts.get(connector) ?? 0;
  }
  /** Empty while the committed set is incomplete. */
  tasks(connector: string): ConnectorTaskId[] {
    if (this.fields.inconsistent.has(connector)) return [];
    return Array.from({ length: this.taskCount(connector) }, (_, task) => ({ connector, task }));
  }
  hasTask({ connector, task }: ConnectorTaskId): boolean {
    return task >= 0 && task < this.taskCount(connector) && !this.fields.inconsistent.has(connector);
  }
  taskConfig({ connector, task }: ConnectorTaskId): ConnectorConfig | null {
    return this.fields.taskConfigs.get(connector)?.get(task) ?? null;
  }
  taskConfigs(connector: string): ConnectorConfig[] {
    return this.tasks(connector).map((id) => this.taskConfig(id) ?? {});
  }
  isInconsistent(connector: string): boolean {
    return this.fields.inconsistent.has(connector);
  }
  /**
   * Compaction may remove what the last commit record needs before it: a worker that reads the topic afterwards finds
   * no tasks.
   */
  isUncommitted(connector: string): boolean {
    return this.fields.uncommitted.has(connector);
  }
  /** Other workers may know its tasks, this one does not: they are missing in the topic since it was compacted. */
  lacksTaskConfigs(connector: string): boolean {
    return this.contains(connector) && (this.isInconsistent(connector) || !this.fields.taskCounts.has(connector));
  }
  /** Counts complete sets of task configs, from 0. Comparable only for equality and within one worker. */
  generation(connector: string): number | null {
    return this.fields.generations.get(connector) ?? null;
  }
  /** How many transactional ids the exactly-once tasks of the connector may use; null: none yet. */
  taskCountRecord(connector: string): number | null {
    return this.fields.taskCountRecords.get(connector) ?? null;
  }
  /** The tasks of earlier generations must be fenced before tasks of the current one start with exactly-once. */
  isPendingFencing(connector: string): boolean {
    return this.fields.pendingFencing.has(connector);
  }
}
