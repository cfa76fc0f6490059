/** Workers with the sink of `fixtures/plugins/table`, and what it and its dead letter topic contain in the end. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorker, type StartedWorker, type WorkerOptions } from '../../dev/services/worker';
import { readToEnd, valuesOf, type Clients } from '../helpers/kafka-clients';

export interface TableSink {
  /** Also the worker's group. */
  readonly name: string;
  readonly topic: string;
  readonly deadLetterTopic: string;
  /** Path of the file. */
  readonly table: string;
}

/** Resolves when the worker is healthy. It detects lost sessions and commits offsets sooner than by default. */
export async function startTableWorker(
  group: string,
  options: Pick<WorkerOptions, 'bootstrapServers'> = {},
): Promise<StartedWorker> {
  const worker = await startWorker({
    ...options,
    group,
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'consumer.session.timeout.ms': '6000',
      'offset.flush.interval.ms': '100',
    },
  });
  await worker.ready();
  return worker;
}

/** @param settings of the fixture, besides `table` and `killed` */
export async function registerTableSink(
  worker: StartedWorker,
  { name, topic, deadLetterTopic, table }: TableSink,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await worker.register({
    name,
    config: {
      'connector.class': 'test.TableSinkConnector',
      topics: topic,
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': deadLetterTopic,
      table,
      killed: killedFile(table),
      ...settings,
    },
  });
}

/** Exists once the sink has killed its worker. */
export const killedFile = (table: string): string => `${table}-killed`;

/** Values in the order in which they were written. */
export function valuesInTable(table: string): string[] {
  return existsSync(table) ? readFileSync(table, 'utf8').trim().split(/[,\n]/) : [];
}

/** Of the only partition; 0: none is committed. */
export async function committedOffset(worker: StartedWorker, { name }: TableSink): Promise<number> {
  const { json } = await worker.request('GET', `/connectors/${name}/offsets`);
  return json?.offsets?.[0]?.offset?.kafka_offset ?? 0;
}

/** Values without repetitions, in the order of their first dead letters. */
export async function deadLetters(clients: Clients, { deadLetterTopic: topic }: TableSink): Promise<string[]> {
  const partition = { topic, partition: 0 };
  const end = (await clients.admin.listOffsets([partition], 'latest'))[0]?.offset ?? 0;
  const reader = await clients.assigned();
  reader.assign([partition]);
  return [...new Set(valuesOf(await readToEnd(reader, partition, end)))];
}
