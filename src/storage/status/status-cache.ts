/** The status topic as last read. Pure. Source: connect-runtime §1.6.2. */
import type { StoredStatus, StatusRecord, TopicStatus } from './status-records';

export class StatusCache {
  private readonly connectors = new Map<string, StoredStatus>();
  private readonly tasks = new Map<string, Map<number, StoredStatus>>();
  private readonly topics = new Map<string, Map<string, TopicStatus>>();

  /**
   * @param writtenAt when the record was written, milliseconds since the epoch; null: unknown
   * @returns false for a late UNASSIGNED of a former owner, which is not applied
   */
  apply(record: StatusRecord, writtenAt: number | null = null): boolean {
    switch (record.kind) {
      case 'connector':
        if (record.status === null) this.removeConnector(record.connector, writtenAt);
        else if (isLate(record.status, this.connector(record.connector), 1)) return false;
        else this.connectors.set(record.connector, record.status);
        return true;
      case 'task':
        if (record.status !== null && isLate(record.status, this.task(record.connector, record.task), 0)) return false;
        apply(this.tasks, record.connector, record.task, record.status);
        return true;
      case 'topic':
        apply(this.topics, record.connector, record.topic, record.status);
        return true;
      case 'ignored':
        return true;
    }
  }

  connector(name: string): StoredStatus | null {
    return this.connectors.get(name) ?? null;
  }
  connectorNames(): string[] {
    return [...this.connectors.keys()];
  }
  task(connector: string, task: number): StoredStatus | null {
    return this.tasks.get(connector)?.get(task) ?? null;
  }
  /** Ascending by number. */
  tasksOf(connector: string): [number, StoredStatus][] {
    return [...(this.tasks.get(connector) ?? [])].sort(([a], [b]) => a - b);
  }
  /** Connectors with at least one task status. */
  connectorsWithTasks(): string[] {
    return [...this.tasks.keys()];
  }
  topic(connector: string, topic: string): TopicStatus | null {
    return this.topics.get(connector)?.get(topic) ?? null;
  }
  topicsOf(connector: string): TopicStatus[] {
    return [...(this.topics.get(connector)?.values() ?? [])];
  }

  /** Tasks of a connector that was created again since are in partitions that may be read before this record's. */
  private removeConnector(connector: string, writtenAt: number | null): void {
    this.connectors.delete(connector);
    for (const [task, status] of this.tasksOf(connector))
      if ((status.writtenAt ?? 0) <= (writtenAt ?? Infinity)) apply(this.tasks, connector, task, null);
  }
}

/**
 * UNASSIGNED of a former owner that arrives after the new owner's RUNNING: the former owner may have written it before
 * it detected that it had lost its membership. Java has this rule for tasks only, and does not compare the workers.
 * @param generations how much newer the RUNNING must be
 */
function isLate(status: StoredStatus, cached: StoredStatus | null, generations: number): boolean {
  return (
    status.state === 'UNASSIGNED' &&
    cached?.state === 'RUNNING' &&
    cached.workerId !== status.workerId &&
    cached.generation >= status.generation + generations
  );
}

function apply<K, V>(maps: Map<string, Map<K, V>>, name: string, key: K, value: V | null): void {
  let map = maps.get(name);
  if (value === null) {
    map?.delete(key);
    if (map?.size === 0) maps.delete(name);
    return;
  }
  if (!map) maps.set(name, (map = new Map<K, V>()));
  map.set(key, value);
}
