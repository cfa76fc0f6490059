/**
 * Converts the herder's entities to responses: members in Java's order, `trace` and `version` omitted where Java omits
 * them. Source: connect-rest §0.2, §6.
 */
import type { ConnectorInfo, ConnectorState, ConnectorStateInfo, TaskInfo, TaskState } from '../../cluster/entities';

export function connectorInfo(info: ConnectorInfo): ConnectorInfo {
  return {
    name: info.name,
    config: info.config,
    tasks: info.tasks.map(({ connector, task }) => ({ connector, task })),
    type: info.type,
  };
}

function instance(state: ConnectorState): ConnectorState {
  return {
    state: state.state,
    worker_id: state.worker_id,
    ...(state.version === 'undefined' ? {} : { version: state.version ?? null }),
    ...(state.trace ? { trace: state.trace } : {}),
  };
}

export function taskState(state: TaskState): TaskState {
  return { id: state.id, ...instance(state) };
}

export function connectorState(info: ConnectorStateInfo): ConnectorStateInfo {
  return {
    name: info.name,
    connector: instance(info.connector),
    tasks: [...info.tasks].sort((a, b) => a.id - b.id).map(taskState),
    type: info.type,
  };
}

export function taskInfo(info: TaskInfo): TaskInfo {
  return { id: { connector: info.id.connector, task: info.id.task }, config: info.config };
}
