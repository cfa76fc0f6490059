/**
 * Converts the herder's entities to responses: members in Java's order, `trace` and `version` omitted where Java omits
 * them. Source: connect-rest §0.2, §6.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorInfo, ConnectorState, ConnectorStateInfo, TaskInfo, TaskState } from '../../cluster/entities';
import type { Call } from '../requests/route';
import type { RestContext } from './context';

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

/** `config` as the caller may see it. */
export function taskInfo({ id }: TaskInfo, config: ConnectorConfig): TaskInfo {
  return { id: { connector: id.connector, task: id.task }, config };
}

/** The connector with its config as the caller may see it. */
export async function shownConnector(
  { secrets }: Pick<RestContext, 'secrets'>,
  { caller }: Pick<Call, 'caller'>,
  info: ConnectorInfo,
): Promise<ConnectorInfo> {
  const config = await secrets.shown(caller, info.config, info.config['connector.class']);
  return { ...connectorInfo(info), config };
}
