/** State of the config topic, built record by record. Pure. Source: connect-runtime §1.4.2 to §1.4.4. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { UNKNOWN_CAUSE, type Cause } from '../log/cause';
import { readConfigRecord, type ConfigRecord, type SessionKey, type TargetState } from './config-records';
import { ConfigSnapshot } from './config-snapshot';

/** What a record changed, with what was there before, for people. */
export type ConfigDelta =
  /** Null: none, as far as the topic still says. */
  | {
      readonly kind: 'connector';
      readonly connector: string;
      readonly before: ConnectorConfig | null;
      readonly after: ConnectorConfig | null;
    }
  | { readonly kind: 'target-state'; readonly connector: string; readonly state: TargetState }
  | { readonly kind: 'tasks'; readonly connector: string; readonly tasks: number }
  | {
      readonly kind: 'restart';
      readonly connector: string;
      readonly includeTasks: boolean;
      readonly onlyFailed: boolean;
    }
  | { readonly kind: 'logger'; readonly namespace: string; readonly level: string };

/** What a record changed. */
export type ConfigEvent =
  | { readonly type: 'connector-updated'; readonly connector: string }
  | { readonly type: 'connector-removed'; readonly connector: string }
  | { readonly type: 'target-state-changed'; readonly connector: string }
  | { readonly type: 'tasks-committed'; readonly connector: string; readonly tasks: readonly ConnectorTaskId[] }
  | { readonly type: 'session-key'; readonly key: SessionKey }
  | {
      readonly type: 'restart-requested';
      readonly connector: string;
      readonly includeTasks: boolean;
      readonly onlyFailed: boolean;
      readonly cause: Cause;
    }
  | { readonly type: 'logger-level'; readonly namespace: string; readonly level: string };

export interface AppliedRecord {
  readonly event: ConfigEvent | null;
  /** Why the record or a part of it was not applied. */
  readonly problem: string | null;
}

const NOTHING: AppliedRecord = { event: null, problem: null };

function event(found: ConfigEvent): AppliedRecord {
  return { event: found, problem: null };
}

export class ConfigState {
  private offset = -1;
  private readonly connectorConfigs = new Map<string, ConnectorConfig>();
  private readonly targetStates = new Map<string, TargetState>();
  private readonly taskConfigs = new Map<string, Map<number, ConnectorConfig>>();
  private readonly deferred = new Map<string, Map<number, ConnectorConfig>>();
  private readonly taskCounts = new Map<string, number>();
  private readonly inconsistent = new Set<string>();
  private readonly uncommitted = new Set<string>();
  private readonly appliedConfigs = new Map<string, ConnectorConfig>();
  private readonly generations = new Map<string, number>();
  private readonly taskCountRecords = new Map<string, number>();
  private readonly pendingFencing = new Set<string>();
  private sessionKey: SessionKey | null = null;
  private cached: ConfigSnapshot | null = ConfigSnapshot.EMPTY;

  /** `onDelta` is called during `apply`. */
  constructor(private readonly onDelta: (delta: ConfigDelta) => void = () => undefined) {}

  apply(offset: number, key: string | null, value: Uint8Array | null, cause = UNKNOWN_CAUSE): AppliedRecord {
    const record: ConfigRecord =
      key === null ? { kind: 'ignored', reason: 'it has no key' } : readConfigRecord(key, value);
    if (record.kind === 'malformed') return { event: null, problem: record.reason };
    this.cached = null;
    this.offset = offset + 1;
    return this.applyRecord(record, cause);
  }

  snapshot(): ConfigSnapshot {
    this.cached ??= new ConfigSnapshot({
      offset: this.offset,
      connectorConfigs: new Map(this.connectorConfigs),
      targetStates: new Map(this.targetStates),
      // The inner maps are replaced, never changed.
      taskConfigs: new Map(this.taskConfigs),
      taskCounts: new Map(this.taskCounts),
      inconsistent: new Set(this.inconsistent),
      uncommitted: new Set(this.uncommitted),
      appliedConfigs: new Map(this.appliedConfigs),
      generations: new Map(this.generations),
      taskCountRecords: new Map(this.taskCountRecords),
      pendingFencing: new Set(this.pendingFencing),
      sessionKey: this.sessionKey,
    });
    return this.cached;
  }

  private applyRecord(record: ConfigRecord, cause: Cause): AppliedRecord {
    switch (record.kind) {
      case 'connector':
        return record.config === null
          ? this.removeConnector(record.connector)
          : this.setConnector(record.connector, record.config);
      case 'target-state':
        return this.setTargetState(record.connector, record.state);
      case 'task':
        this.defer(record.connector, record.task, record.config);
        return NOTHING;
      case 'commit':
        return this.commit(record.connector, record.tasks);
      case 'fencing':
        this.taskCountRecords.set(record.connector, record.taskCount);
        this.pendingFencing.delete(record.connector);
        return NOTHING;
      case 'session-key':
        this.sessionKey = record.key;
        return event({ type: 'session-key', key: record.key });
      case 'restart':
        this.onDelta(record);
        return event({
          type: 'restart-requested',
          connector: record.connector,
          includeTasks: record.includeTasks,
          onlyFailed: record.onlyFailed,
          cause,
        });
      case 'logger':
        this.onDelta(record);
        return event({ type: 'logger-level', namespace: record.namespace, level: record.level });
      case 'ignored':
      case 'malformed':
        return { event: null, problem: record.reason };
    }
  }

  private setConnector(connector: string, config: ConnectorConfig): AppliedRecord {
    this.onDelta({
      kind: 'connector',
      connector,
      before: this.connectorConfigs.get(connector) ?? null,
      after: config,
    });
    this.connectorConfigs.set(connector, config);
    this.uncommitted.add(connector);
    if (!this.targetStates.has(connector)) this.targetStates.set(connector, 'STARTED');
    return event({ type: 'connector-updated', connector });
  }

  /**
   * Keeps the target state, whose own tombstone follows, and the task count record: tasks of the deleted connector may
   * still run when one with the same name is created.
   */
  private removeConnector(connector: string): AppliedRecord {
    const before = this.connectorConfigs.get(connector) ?? null;
    this.onDelta({ kind: 'connector', connector, before, after: null });
    this.purge(connector);
    return event({ type: 'connector-removed', connector });
  }

  private purge(connector: string): void {
    this.uncommitted.delete(connector);
    for (const map of [this.connectorConfigs, this.taskCounts, this.taskConfigs, this.deferred, this.appliedConfigs])
      map.delete(connector);
  }

  private setTargetState(connector: string, state: TargetState | null): AppliedRecord {
    const before = this.targetStates.get(connector);
    if (state === null) {
      if (this.connectorConfigs.has(connector)) this.targetStates.set(connector, 'STARTED');
      else this.targetStates.delete(connector);
      return NOTHING;
    }
    this.targetStates.set(connector, state);
    // A connector that starts as it is created was not resumed.
    if (before !== state && (state !== 'STARTED' || this.connectorConfigs.has(connector)))
      this.onDelta({ kind: 'target-state', connector, state });
    return before !== state && this.connectorConfigs.has(connector)
      ? event({ type: 'target-state-changed', connector })
      : NOTHING;
  }

  private defer(connector: string, task: number, config: ConnectorConfig): void {
    this.uncommitted.add(connector);
    const deferred = this.deferred.get(connector);
    if (deferred) deferred.set(task, config);
    else this.deferred.set(connector, new Map([[task, config]]));
  }

  private commit(connector: string, tasks: number): AppliedRecord {
    const config = this.connectorConfigs.get(connector);
    if (!config) {
      this.purge(connector);
      return { event: null, problem: 'it commits tasks of a connector that has no config' };
    }
    const deferred = this.deferred.get(connector) ?? new Map<number, ConnectorConfig>();
    this.deferred.delete(connector);
    this.uncommitted.delete(connector);
    this.taskCounts.set(connector, tasks);
    this.onDelta({ kind: 'tasks', connector, tasks });
    const complete = Array.from({ length: tasks }, (_, task) => task).every((task) => deferred.has(task));
    let updated: ConnectorTaskId[] = [];
    if (complete) {
      this.inconsistent.delete(connector);
      this.appliedConfigs.set(connector, config);
      if (deferred.size > 0) {
        this.taskConfigs.set(connector, new Map([...(this.taskConfigs.get(connector) ?? []), ...deferred]));
        this.generations.set(connector, (this.generations.get(connector) ?? -1) + 1);
        updated = [...deferred.keys()].map((task) => ({ connector, task }));
      }
    } else this.inconsistent.add(connector);
    this.pendingFencing.add(connector);
    return {
      event: { type: 'tasks-committed', connector, tasks: updated },
      problem: complete ? null : `some of its ${tasks} task configs are missing, so the connector has no tasks`,
    };
  }
}
