/** `millrace describe connector` */
import { ConnectError } from '@millrace/sdk';
import { statusOf, type Instance } from '../connectors/connectors';
import { traceLines } from '../connectors/trace-lines';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { shownValue } from '../output/printable';
import type { Invocation } from '../program/command-spec';
import { type ConnectClient, path, RestError } from '../rest/connect-client';
import { listOf, objectOf, textOf } from '../rest/reply';
import { withClient } from '../rest/clients';
import {
  connectorText,
  type DescribedConnector,
  type DescribedInstance,
  type OffsetEntry,
  type ShownConfig,
} from './connector-text';

export async function run(invocation: Invocation): Promise<number> {
  const { taskConfigs = false } = invocation.options as { taskConfigs?: boolean };
  const name = invocation.args[0] as string;
  const described = await withClient(invocation, (client) => describe(client, name, taskConfigs));
  writeAnswer(invocation, described, () => connectorText(described, paintOf(invocation.io)));
  return 0;
}

async function describe(client: ConnectClient, name: string, taskConfigs: boolean): Promise<DescribedConnector> {
  const at = path`/connectors/${name}`;
  const found = await client.request(at, { accept: [404] });
  if (found === undefined) throw new ConnectError(`There is no connector "${name}".`, { code: 'REST_NOT_FOUND' });
  const info = objectOf(found, `GET ${at}`);
  const [status, configs, topics, offsets] = await Promise.all([
    // Right after its creation a connector has no status yet.
    client.request(`${at}/status`, { accept: [404] }),
    taskConfigs ? taskConfigsOf(client, name) : new Map<number, ShownConfig>(),
    ifAvailable(() => topicsOf(client, name)),
    ifAvailable(() => offsetsOf(client, name)),
  ]);
  const { tasks, ...connector } = statusOf(status, `GET ${at}/status`);
  return {
    name,
    type: textOf(info.type) || 'unknown',
    ...instanceOf(connector),
    tasks: tasks.map((task) => ({ id: task.id, ...instanceOf(task), ...configOf(configs.get(task.id)) })),
    config: shownConfig(objectOf(info.config ?? {}, `GET ${at}`)),
    topics,
    offsets,
  };
}

function instanceOf({ state, worker, trace }: Instance): DescribedInstance {
  return { state, worker, ...(trace !== undefined && { trace: traceLines(trace) }) };
}

function configOf(config: ShownConfig | undefined): { readonly config?: ShownConfig } {
  return config === undefined ? {} : { config };
}

/** Sorted, without secrets. */
function shownConfig(config: Readonly<Record<string, unknown>>): ShownConfig {
  const entries = Object.entries(config).sort(byKey);
  return Object.fromEntries(entries.map(([key, value]) => [key, shownValue(key, textOf(value))]));
}

/** By the number of the task. */
async function taskConfigsOf(client: ConnectClient, name: string): Promise<ReadonlyMap<number, ShownConfig>> {
  const at = path`/connectors/${name}/tasks`;
  const tasks = listOf(await client.request(at), `GET ${at}`).map((entry) => {
    const { id, config } = objectOf(entry, `GET ${at}`);
    return [Number(objectOf(id, `GET ${at}`).task), shownConfig(objectOf(config, `GET ${at}`))] as const;
  });
  return new Map(tasks);
}

async function topicsOf(client: ConnectClient, name: string): Promise<readonly string[]> {
  const at = path`/connectors/${name}/topics`;
  const { topics } = objectOf(objectOf(await client.request(at), `GET ${at}`)[name], `GET ${at}`);
  return listOf(topics, `GET ${at}`).map(textOf).sort();
}

async function offsetsOf(client: ConnectClient, name: string): Promise<readonly OffsetEntry[]> {
  const at = path`/connectors/${name}/offsets`;
  const { offsets } = objectOf(await client.request(at, { exact: true }), `GET ${at}`);
  return listOf(offsets, `GET ${at}`).map((entry) => {
    const { partition, offset } = objectOf(entry, `GET ${at}`);
    return { partition, offset };
  });
}

/** Older workers have no offsets in REST, `topic.tracking.enable=false` refuses topics: the rest is still described. */
async function ifAvailable<T>(read: () => Promise<T>): Promise<T | { readonly unavailable: string }> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RestError) return { unavailable: error.message };
    throw error;
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
