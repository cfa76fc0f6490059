/** Reads from the last known state; never waits. Sources: connect-rest §1.3 to §1.15, §2.2, Appendix R 14. */
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { StatusCache } from '../../storage/status/status-cache';
import type { StoredStatus } from '../../storage/status/status-records';
import type { ConnectorPlugins } from '../running/connector-plugins';
import { HerderError } from '../errors';
import { restartChange } from '../history/change-history';
import type {
  ConnectorInfo,
  ConnectorRecord,
  ConnectorState,
  ConnectorStateInfo,
  ConnectorType,
  RecordedChange,
  TaskInfo,
  TaskState,
} from '../entities';

function stateOf({ state, workerId, version, trace, writtenAt }: StoredStatus): ConnectorState {
  return { state, worker_id: workerId, version, ...(trace ? { trace } : {}), since: writtenAt };
}

export class HerderReads {
  constructor(
    private readonly snapshot: () => ConfigSnapshot,
    private readonly statuses: StatusCache,
    private readonly plugins: ConnectorPlugins,
  ) {}

  connectors(): readonly string[] {
    return this.snapshot().connectors();
  }

  /** All connectors, at one moment. */
  records(): readonly ConnectorRecord[] {
    return this.connectors().map((name) => this.record(name));
  }

  record(name: string): ConnectorRecord {
    const snapshot = this.snapshot();
    const config = snapshot.connectorConfig(name);
    if (config === null) throw notFound(name);
    const type = this.plugins.type(config);
    return {
      ...{ name, config, type, target: snapshot.targetState(name) },
      ...{ tasks: snapshot.taskCount(name), status: this.statusOf(name, () => type) },
    };
  }

  connectorInfo(name: string): ConnectorInfo {
    const snapshot = this.snapshot();
    const config = snapshot.connectorConfig(name);
    if (config === null) throw notFound(name);
    return { name, config, tasks: snapshot.tasks(name), type: this.plugins.type(config) };
  }

  connectorStatus(name: string): ConnectorStateInfo {
    const found = this.statusOrNull(name);
    if (found === null) throw new HerderError(404, `No status found for connector ${name}`);
    return found;
  }

  statusOrNull(name: string): ConnectorStateInfo | null {
    return this.statusOf(name, () => this.plugins.type(this.snapshot().connectorConfig(name)));
  }

  private statusOf(name: string, type: () => ConnectorType): ConnectorStateInfo | null {
    const connector = this.statuses.connector(name);
    if (connector === null) return null;
    return {
      name,
      connector: stateOf(connector),
      tasks: this.statuses.tasksOf(name).map(([id, status]) => ({ id, ...stateOf(status) })),
      type: type(),
    };
  }

  taskStatus(name: string, task: number): TaskState {
    const status = this.statuses.task(name, task);
    if (status === null) throw new HerderError(404, `No status found for task ${name}-${task}`);
    return { id: task, ...stateOf(status) };
  }

  /** The last restart of the connector or one of its tasks; null: none since it was created, or unknown. */
  lastRestart(name: string): RecordedChange | null {
    const instances = [[null, this.statuses.connector(name)] as const, ...this.statuses.tasksOf(name)];
    let last: RecordedChange | null = null;
    for (const [task, status] of instances) {
      const restart = status?.restart ?? null;
      if (restart === null || (last?.at ?? 0) >= restart.at) continue;
      const entity = task === null ? { kind: 'connector' as const } : { kind: 'task' as const, task };
      last = restartChange({ ...entity, connector: name }, restart);
    }
    return last;
  }

  taskInfos(name: string): readonly TaskInfo[] {
    const snapshot = this.snapshot();
    if (!snapshot.contains(name)) throw notFound(name);
    return snapshot.tasks(name).map((id) => ({ id, config: snapshot.taskConfig(id) ?? {} }));
  }
}

export function notFound(name: string): HerderError {
  return new HerderError(404, `Connector ${name} not found`);
}
