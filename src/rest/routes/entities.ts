/**
 * Converts the herder's entities to responses: members in Java's order, `trace` and `version` omitted where Java omits
 * them. Source: connect-rest §0.2, §6.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { HerderError } from '../../cluster/errors';
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

/** A trace as the caller may see it. */
type ShowTrace = (trace: string) => string;

function instance(state: ConnectorState, show: ShowTrace): ConnectorState {
  return {
    state: state.state,
    worker_id: state.worker_id,
    ...(state.version === 'undefined' ? {} : { version: state.version ?? null }),
    ...(state.trace ? { trace: show(state.trace) } : {}),
  };
}

function taskState(state: TaskState, show: ShowTrace): TaskState {
  return { id: state.id, ...instance(state, show) };
}

function connectorState(info: ConnectorStateInfo, show: ShowTrace): ConnectorStateInfo {
  return {
    name: info.name,
    connector: instance(info.connector, show),
    tasks: [...info.tasks].sort((a, b) => a.id - b.id).map((task) => taskState(task, show)),
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

/** How the caller may see the traces of these states: they may quote the connector's config. */
async function shownTraces(
  { secrets, herder }: Pick<RestContext, 'secrets' | 'herder'>,
  { caller }: Pick<Call, 'caller'>,
  connector: string,
  states: readonly ConnectorState[],
): Promise<ShowTrace> {
  if (!secrets.hidesFrom(caller) || !states.some(({ trace }) => trace)) return (trace) => trace;
  return await secrets.inTexts(caller, ifKnown(() => herder().reads.connectorInfo(connector).config) ?? {});
}

export async function shownConnectorState(
  context: RestContext,
  call: Call,
  info: ConnectorStateInfo,
): Promise<ConnectorStateInfo> {
  return connectorState(info, await shownTraces(context, call, info.name, [info.connector, ...info.tasks]));
}

export async function shownTaskState(
  context: RestContext,
  call: Call,
  connector: string,
  state: TaskState,
): Promise<TaskState> {
  return taskState(state, await shownTraces(context, call, connector, [state]));
}

/** Null for a connector that has been deleted in the meantime. */
export function ifKnown<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof HerderError && error.status === 404) return null;
    throw error;
  }
}
