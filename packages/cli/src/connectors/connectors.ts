/** Connectors with their states and health, as `GET /connectors?expand=…` lists them. */
import { traceReason } from '@millrace/texts/redaction';
import { sum } from '@millrace/texts/worker-rates';
import type { ConnectClient } from '../rest/connect-client';
import { listOf, objectOf, path, textOf } from '../rest/reply';
import { type Health, healthOf } from './health';
import { byName } from './name-pattern';

export interface Instance {
  /** `RUNNING`, `FAILED`, …; `UNASSIGNED` if the worker names none. */
  readonly state: string;
  /** `host:port`; empty if unknown. */
  readonly worker: string;
  /** Of a FAILED one. */
  readonly trace?: string;
}

export interface Task extends Instance {
  readonly id: number;
}

export interface Status extends Instance {
  readonly tasks: readonly Task[];
}

export interface Connector {
  readonly name: string;
  /** `source`, `sink` or `unknown`. */
  readonly type: string;
  readonly class: string;
  readonly status: Status;
  /** Null: not measured, as by Java's workers. */
  readonly health: Health | null;
}

/** Java's workers ignore `health`. */
const HEALTH = '&expand=health';
const LIST = '/connectors?expand=status&expand=info';
const STATUSES = '/connectors?expand=status';

/** All connectors with their health, for which a worker asks the others of its group, sorted by name. */
export async function readConnectorHealth(client: ConnectClient): Promise<readonly Connector[]> {
  return await readConnectors(client, `${LIST}${HEALTH}`);
}

/** All connectors, sorted by name, without their health. */
export async function readConnectors(client: ConnectClient, list = LIST): Promise<readonly Connector[]> {
  const reply = objectOf(await client.request(list), `GET ${list}`);
  const connectors = Object.entries(reply).map(([name, entry]): Connector => {
    const { status, info, health } = objectOf(entry, `GET ${list}`);
    const { type, config } = members(info);
    return {
      name,
      type: textOf(type) || textOf(members(status).type) || 'unknown',
      class: textOf(members(config)['connector.class']),
      status: statusOf(status, `GET ${list}`),
      health: healthOf(health),
    };
  });
  return connectors.sort(byName(({ name }) => name));
}

/** Statuses of all connectors, by name. */
export async function readStatuses(client: ConnectClient): Promise<ReadonlyMap<string, Status>> {
  const request = `GET ${STATUSES}`;
  const reply = objectOf(await client.request(STATUSES), request);
  return new Map(Object.entries(reply).map(([name, entry]) => [name, statusOf(members(entry).status, request)]));
}

/** Undefined for a connector that does not exist. */
export async function readStatus(client: ConnectClient, name: string): Promise<Status | undefined> {
  const at = path`/connectors/${name}/status`;
  const reply = await client.request(at, { accept: [404] });
  return reply === undefined ? undefined : statusOf(reply, `GET ${at}`);
}

/** Of its tasks; null: unknown. */
export function errorsPerSecond({ health }: Connector): number | null {
  return sum([...(health?.errorsPerSecond.values() ?? [])]);
}

export function isFailed({ state, tasks }: Status): boolean {
  return state === 'FAILED' || tasks.some((task) => task.state === 'FAILED');
}

export function isStopped(status: Status | undefined): boolean {
  return status?.state === 'STOPPED' && status.tasks.length === 0;
}

/** `2/3`: running ones of all. */
export function runningTasks({ tasks }: Status): string {
  return `${tasks.filter(({ state }) => state === 'RUNNING').length}/${tasks.length}`;
}

/** @param reply of `/connectors/NAME/status` */
export function statusOf(reply: unknown, request: string): Status {
  const { connector, tasks = [] } = objectOf(reply ?? {}, request);
  return {
    ...instanceOf(connector),
    tasks: listOf(tasks, request)
      .map((task) => ({ id: Number(members(task).id), ...instanceOf(task) }))
      .sort((a, b) => a.id - b.id),
  };
}

function instanceOf(value: unknown): Instance {
  const { state, worker_id: worker, trace } = members(value);
  return {
    state: textOf(state) || 'UNASSIGNED',
    worker: textOf(worker),
    ...(typeof trace === 'string' && trace !== '' && { trace }),
  };
}

/** None of a value that is missing or not an object. */
function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Why a connector or task is FAILED. */
export interface Failure {
  /** `connector` or `task 0`. */
  readonly part: string;
  readonly worker: string;
  /** What the trace says first, without credentials, on one line. */
  readonly reason: string;
  /** Millrace's error code, if the trace has one. */
  readonly code?: string;
}

export function failuresOf({ state, worker, trace, tasks }: Status): readonly Failure[] {
  const parts = [
    { part: 'connector', state, worker, trace },
    ...tasks.map((task) => ({ ...task, part: `task ${task.id}` })),
  ];
  return parts
    .filter((one) => one.state === 'FAILED')
    .map((one) => ({ part: one.part, worker: one.worker, ...reasonOf(one.trace) }));
}

function reasonOf(trace = ''): Pick<Failure, 'reason' | 'code'> {
  const { line, code } = traceReason(trace);
  return { reason: line || 'the worker does not say why', ...(code !== null && { code }) };
}
