/** The status topic as last read. Pure. Source: connect-runtime §1.6.2. */
import type { StoredStatus, StatusRecord, TopicStatus } from './status-records';

export class StatusCache {
  private readonly connectors = new Map<string, StoredStatus>();
  private readonly tasks = new Map<string, Map<number, StoredStatus>>();
  private readonly topics = new Map<string, Map<string, TopicStatus>>();

  apply(record: StatusRecord): void {
    switch (record.kind) {
      case 'connector':
        if (record.status === null) {
          this.connectors.delete(record.connector);
          this.tasks.delete(record.connector);
        } else this.applyConnector(record.connector, record.status);
        return;
      case 'task':
        this.applyTask(record.connector, record.task, record.status);
        return;
      case 'topic':
        apply(this.topics, record.connector, record.topic, record.status);
        return;
      case 'ignored':
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

  /**
   * Ignores UNASSIGNED from a former owner that arrives after the new owner's RUNNING: the former owner may have
   * written it before it detected that it had lost its membership. Java has this rule for tasks only.
   */
  private applyConnector(connector: string, status: StoredStatus): void {
    const cached = this.connector(connector);
    const late =
      status.state === 'UNASSIGNED' &&
      cached?.state === 'RUNNING' &&
      cached.workerId !== status.workerId &&
      cached.generation > status.generation;
    if (!late) this.connectors.set(connector, status);
  }

  /** Ignores UNASSIGNED from the previous owner if it arrives after the new owner's RUNNING. */
  private applyTask(connector: string, task: number, status: StoredStatus | null): void {
    const cached = this.task(connector, task);
    const late =
      status?.state === 'UNASSIGNED' && cached?.state === 'RUNNING' && cached.generation >= status.generation;
    if (!late) apply(this.tasks, connector, task, status);
  }
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
