/** `millrace dlq show TOPIC`: dead letters with the reason why they failed. */
import type { Invocation } from '@millrace/cli';
import { yamlDocument } from '@millrace/cli/answers';
import { interruptible, type Interruption, type Paint, paintOf, printable } from '@millrace/cli/terminal';
import { type Failure, failureOf, originalHeaders } from '../../../dead-letters/failure-of';
import { openCluster } from '../../kafka/open-cluster';
import type { StartPosition } from '../../kafka/read-options';
import { readTopic } from '../../kafka/read-topic';
import { chooseReaders } from '../../records/readers';
import { readRecord, type ReadRecord, recordJson } from '../../records/record-text';
import { clusterSetup } from '../../worker/command-config';

interface ShowOptions {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  readonly stacktrace?: boolean;
  readonly output?: string;
}

export async function run(invocation: Invocation): Promise<number> {
  return await interruptible(invocation.io, (interruption) => show(invocation, interruption));
}

async function show(invocation: Invocation, { stopping }: Interruption): Promise<number> {
  const { io } = invocation;
  const topic = invocation.args[0] as string;
  const { from, count = 20, partition, stacktrace = false, output } = invocation.options as unknown as ShowOptions;
  const setup = await clusterSetup(invocation);
  const readers = await chooseReaders(invocation, setup);
  const cluster = await openCluster(setup, io, 'dlq');
  const paint = paintOf(io);
  let shown = 0;
  const asked = { topic, partition, start: from, follow: false, stopping: stopping.signal };
  for await (const batch of readTopic(cluster, asked))
    for (const record of batch.records) {
      if (shown === count || stopping.signal.aborted) break;
      const failure = failureOf(record.headers);
      const read = readRecord(batch, { ...record, headers: originalHeaders(record.headers) }, readers);
      const json = (): string => `${recordJson(read).slice(0, -1)},"failure":${JSON.stringify(failure)}}`;
      if (output === 'json') io.stdout.write(`${json()}\n`);
      else if (output === 'yaml') io.stdout.write(yamlDocument(json()));
      else io.stdout.write(letterText(read, failure, paint, stacktrace));
      if (++shown === count) stopping.abort();
    }
  if (shown === 0) io.stderr.write(`No records in ${topic}.\n`);
  else if (shown === count) io.stderr.write(`The first ${count} are shown; -n shows more, --from starts elsewhere.\n`);
  return 0;
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
