/** Reads from the last known state; never waits. Sources: connect-rest §1.3 to §1.15, §2.2, Appendix R 14. */
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { StatusCache } from '../../storage/status/status-cache';
import type { EntityStatus } from '../../storage/status/status-records';
import type { ConnectorPlugins } from '../running/connector-plugins';
import { HerderError } from '../errors';
import type { ConnectorInfo, ConnectorState, ConnectorStateInfo, TaskInfo, TaskState } from '../entities';

function stateOf({ state, workerId, version, trace }: EntityStatus): ConnectorState {
  return { state, worker_id: workerId, version, ...(trace ? { trace } : {}) };
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
    const connector = this.statuses.connector(name);
    if (connector === null) return null;
    return {
      name,
      connector: stateOf(connector),
      tasks: this.statuses.tasksOf(name).map(([id, status]) => ({ id, ...stateOf(status) })),
      type: this.plugins.type(this.snapshot().connectorConfig(name)),
    };
  }

  taskStatus(name: string, task: number): TaskState {
    const status = this.statuses.task(name, task);
    if (status === null) throw new HerderError(404, `No status found for task ${name}-${task}`);
    return { id: task, ...stateOf(status) };
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
