/**
 * `millrace dlq replay TOPIC`: sends the original records back to the topics and partitions they came from. At least
 * once: a replay that is repeated sends them again. Dead letters that arrive during the replay are left for the next,
 * and tell which of the records failed again.
 */
import { EXIT, type Invocation } from '@millrace/cli';
import {
  confirm,
  interruptible,
  type Interruption,
  printable,
  type ShowProgress,
  withProgress,
} from '@millrace/cli/terminal';
import type { ConsumerRecord, FetchedBatch, Producer, TopicPartitionOffset } from '@millrace/kafka-client';
import { ConnectError, messageOf, timeoutSignal } from '@millrace/sdk';
import { failureOf, type Failure } from '../../../dead-letters/failure-of';
import { recordRanges, type RecordRange } from '../../../records/record-ranges';
import { originalRecord } from '../../../dead-letters/original-record';
import {
  MAX_PLACES,
  placeOf,
  reasonOf,
  returnedLetters,
  type ReturnedLettersRequest,
} from '../../../dead-letters/returned-letters';
import { openCluster, type OpenCluster } from '../../kafka/open-cluster';
import type { StartPosition } from '../../kafka/read-options';
import { readTopic } from '../../kafka/read-topic';
import { clusterSetup } from '../../worker/command-config';

const MAX_REASONS = 5;

interface ReplayOptions {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  readonly connector?: string;
  readonly to?: string;
  readonly dryRun?: boolean;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
  readonly waitTimeout: number;
}

interface Tally {
  /** By topic. */
  readonly sent: Map<string, number>;
  /** Of the first records that were sent to the topics they came from, whose connectors read them again. */
  readonly places: Set<string>;
  /** Dead letters without an origin, or of another connector. */
  skipped: number;
  /** Of the first record that was not sent: `topic-partition@offset`, and why. */
  failure: { readonly at: string; readonly reason: string } | null;
}

export async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, async (shown, show) => {
    return await interruptible(shown.io, (interruption) => replayAll(shown, interruption, show));
  });
}

async function replayAll(
  invocation: Invocation,
  { stopping, isSignalled }: Interruption,
  show: ShowProgress,
): Promise<number> {
  const { io } = invocation;
  const topic = invocation.args[0] as string;
  const options = invocation.options as unknown as ReplayOptions;
  const cluster = await openCluster(await clusterSetup(invocation), io, 'dlq');
  const target = options.to ?? 'the topics they came from, where all consumers receive them again';
  if (options.dryRun !== true && !(await confirm(invocation, `Send the records of ${topic} to ${target}?`)))
    return EXIT.failed;
  const producer =
    options.dryRun === true
      ? null
      : // Neither lost nor twice by a retry of the client.
        cluster.clients.producer({ ...cluster.settings('producer'), acks: 'all', 'enable.idempotence': 'true' });
  const tally: Tally = { sent: new Map(), places: new Set(), skipped: 0, failure: null };
  const before = producer && options.wait !== false ? await rangesOf(cluster, topic) : null;
  try {
    await producer?.connect();
    const asked = {
      topic,
      partition: options.partition,
      start: options.from,
      follow: false,
      stopping: stopping.signal,
    };
    let taken = 0;
    for await (const batch of readTopic(cluster, asked)) {
      for (const record of batch.records) {
        if (stopping.signal.aborted || tally.failure !== null) break;
        await replay(batch, record, options, producer, tally);
        if (++taken === options.count) stopping.abort();
      }
      await producer?.flush();
      show(() => `${taken} records of ${topic} read`);
      if (tally.failure !== null) break;
    }
  } finally {
    await producer?.close();
  }
  report(invocation, options, tally);
  if (isSignalled()) return EXIT.interrupted;
  if (before === null || tally.places.size === 0) return EXIT.success;
  show(() => `Waiting ${options.waitTimeout} s for records that fail again`);
  const failures = await failedAgain(cluster, { topic, before, places: tally.places }, options.waitTimeout * 1000);
  reportFailures(invocation, failures);
  return failures.length === 0 ? EXIT.success : EXIT.no;
}

async function rangesOf(cluster: OpenCluster, topic: string): Promise<readonly RecordRange[]> {
  const admin = cluster.clients.admin(cluster.settings('admin'));
  try {
    return await recordRanges(admin, topic);
  } finally {
    await admin.close();
  }
}

async function failedAgain(
  cluster: OpenCluster,
  request: Omit<ReturnedLettersRequest, 'signal'>,
  timeoutMs: number,
): Promise<readonly Failure[]> {
  const consumer = cluster.clients.assignedConsumer({
    ...cluster.settings('consumer'),
    'isolation.level': 'read_committed',
  });
  try {
    await consumer.connect();
    return [...(await returnedLetters(consumer, { ...request, signal: timeoutSignal(timeoutMs) })).values()];
  } finally {
    await consumer.close();
  }
}

/** Equal reasons are one line. */
function reportFailures({ io }: Invocation, failures: readonly Failure[]): void {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    const reason = `${reasonOf(failure)} (connector ${failure.connector ?? 'unknown'})`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a);
  for (const [reason, count] of lines.slice(0, MAX_REASONS))
    io.stderr.write(`${records(count)} replayed, and failed again: ${printable(reason)}\n`);
  if (lines.length > MAX_REASONS)
    io.stderr.write(`${lines.length - MAX_REASONS} more reasons; "millrace dlq show" lists them.\n`);
}

function records(count: number): string {
  return `${count} record${count === 1 ? '' : 's'}`;
}

async function replay(
  { topic, partition }: FetchedBatch,
  record: ConsumerRecord,
  options: ReplayOptions,
  producer: Producer | null,
  tally: Tally,
): Promise<void> {
  const failure = failureOf(record.headers);
  const target = options.to ?? failure.topic;
  if (target === null || (options.connector !== undefined && failure.connector !== options.connector)) {
    tally.skipped++;
    return;
  }
  const count = (): unknown => tally.sent.set(target, (tally.sent.get(target) ?? 0) + 1);
  const written = (at: TopicPartitionOffset): void => {
    count();
    if (target === failure.topic && tally.places.size < MAX_PLACES) tally.places.add(placeOf(at));
  };
  if (!producer) return void count();
  const fail = (error: unknown): unknown =>
    (tally.failure ??= { at: `${topic}-${partition}@${record.offset}`, reason: messageOf(error) });
  try {
    if (!producer.isPrepared(target)) await producer.prepare([target]);
    await producer.whenReady();
    const replayed = { topic: target, partition: options.to === undefined ? failure.partition : null };
    producer.send(originalRecord(record, replayed), (error, _, to, at, offset) => {
      if (error) fail(error);
      else written({ topic: to, partition: at, offset });
    });
  } catch (error) {
    fail(error);
  }
}

function report({ io }: Invocation, { dryRun, connector, to }: ReplayOptions, { sent, skipped, failure }: Tally): void {
  const verb = dryRun === true ? 'would be written' : 'written';
  const again = to === undefined ? ' again' : '';
  for (const [topic, count] of sent) io.stdout.write(`${records(count)} ${verb} to ${printable(topic)}${again}\n`);
  if (sent.size === 0) io.stdout.write(`0 records ${verb}\n`);
  const why =
    connector === undefined ? 'they do not say where they came from; see --to' : `not of connector ${connector}`;
  if (skipped > 0) io.stderr.write(`${records(skipped)} skipped: ${why}.\n`);
  if (failure === null) return;
  throw new ConnectError(
    `The record at ${failure.at} was not sent: ${failure.reason} Continue with --partition and --from.`,
    { code: 'DLQ_REPLAY' },
  );
}
