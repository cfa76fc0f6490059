/** `millrace dlq show TOPIC`: dead letters with the reason why they failed, the newest first. */
import { EXIT, type Invocation } from '@millrace/cli';
import { yamlDocument } from '@millrace/cli/answers';
import { interruptible, type Interruption, type Paint, paintOf, printable } from '@millrace/cli/terminal';
import type { ConsumerRecord } from '@millrace/kafka-client';
import { type Failure, failureOf, originalHeaders } from '../../../dead-letters/failure-of';
import { newestRecords, type NewestRecords, type NewestRecordsRequest } from '../../../records/newest-records';
import { openCluster, type OpenCluster } from '../../kafka/open-cluster';
import type { StartPosition } from '../../kafka/read-options';
import { rangesOf } from '../../kafka/read-topic';
import { chooseReaders } from '../../records/readers';
import { readRecord, type ReadRecord, recordJson } from '../../records/record-text';
import { clusterSetup } from '../../worker/command-config';
import { contains, isWanted, type LetterFilter } from './letter-filter';

interface ShowOptions extends LetterFilter {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  /** Records to search. */
  readonly scan: number;
  readonly stacktrace?: boolean;
  readonly output?: string;
}

interface Letter {
  readonly record: ReadRecord;
  readonly failure: Failure;
}

export async function run(invocation: Invocation): Promise<number> {
  return await interruptible(invocation.io, (interruption) => show(invocation, interruption));
}

async function show(invocation: Invocation, { stopping, isSignalled }: Interruption): Promise<number> {
  const { io } = invocation;
  const topic = invocation.args[0] as string;
  const options = invocation.options as unknown as ShowOptions;
  const { from, count = 20, partition, scan, key, stacktrace = false, output } = options;
  const setup = await clusterSetup(invocation);
  const readers = await chooseReaders(invocation, setup);
  const cluster = await openCluster(setup, io, 'dlq');
  const ranges = await rangesOf(cluster, { topic, partition, start: from });
  const convert = async (at: number, record: ConsumerRecord): Promise<Letter | null> => {
    const failure = failureOf(record.headers);
    if (!isWanted(options, failure, record.timestamp)) return null;
    const found = { ...record, headers: originalHeaders(record.headers) };
    const letter = { record: await readRecord({ topic, partition: at }, found, readers), failure };
    return key === undefined || contains(letter.record.key, key) ? letter : null;
  };
  const { total, read, records } = await newest(cluster, {
    ...{ topic, limit: count, convert, signal: stopping.signal },
    ranges: ranges.map((range) => ({ partition: range.partition, first: range.from, end: range.end })),
    bounds: { records: scan, bytes: Infinity },
  });
  if (isSignalled()) return EXIT.interrupted;
  const paint = paintOf(io);
  for (const { record, failure } of records) {
    const json = (): string => `${recordJson(record).slice(0, -1)},"failure":${JSON.stringify(failure)}}`;
    if (output === 'json') io.stdout.write(`${json()}\n`);
    else if (output === 'yaml') io.stdout.write(yamlDocument(json()));
    else io.stdout.write(letterText(record, failure, paint, stacktrace));
  }
  if (records.length === count) io.stderr.write(`The newest ${count} are shown; -n shows more.\n`);
  else if (read < total)
    io.stderr.write(`Only the newest ${read} of ${total} records were searched; --scan searches more.\n`);
  else if (records.length === 0) io.stderr.write(total === 0 ? `No records in ${topic}.\n` : 'No such dead letters.\n');
  return EXIT.success;
}

async function newest(cluster: OpenCluster, request: NewestRecordsRequest<Letter>): Promise<NewestRecords<Letter>> {
  const admin = cluster.clients.admin(cluster.settings('admin'));
  const consumer = cluster.clients.assignedConsumer({
    ...cluster.settings('consumer'),
    'isolation.level': 'read_committed',
  });
  try {
    await consumer.connect();
    cluster.showLog();
    return await newestRecords({ admin, consumer }, request);
  } finally {
    await Promise.all([admin.close(), consumer.close()]);
  }
}

function letterText(
  { partition, offset, timestamp, key, value, headers }: ReadRecord,
  failure: Failure,
  paint: Paint,
  withTrace: boolean,
): string {
  const origin =
    failure.topic === null ? 'no error headers' : `${failure.topic}-${failure.partition}@${failure.offset}`;
  const where = [failure.stage, failure.className].filter((text) => text !== null).join(' in ');
  const lines = [
    `${paint('cyan', `${partition}:${offset}`)}  ${printable(origin)}  ${printable(failure.connector ?? '-')} task ${printable(failure.task ?? '-')}  ${timestamp ?? '-'}`,
    ...(where === '' ? [] : [`  ${printable(where)}`]),
    ...(failure.message === null && failure.exception === null
      ? []
      : [`  ${paint('red', printable(failure.message ?? (failure.exception as string)))}`]),
    `  key ${printable(key)}`,
    `  value ${printable(value)}`,
    ...headers.map((header) => `  header ${printable(header.key)} ${printable(header.value)}`),
    ...(withTrace && failure.stacktrace !== null
      ? failure.stacktrace.split('\n').map((line) => `    ${printable(line.replaceAll('\t', '    '))}`)
      : []),
  ];
  return `${lines.join('\n')}\n`;
}
