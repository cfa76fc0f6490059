/**
 * `millrace dlq replay TOPIC`: sends the original records back to the topics and partitions they came from. At least
 * once: a replay that is repeated sends them again. Dead letters that arrive during the replay are left for the next.
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
import type { ConsumerRecord, FetchedBatch, Producer } from '@millrace/kafka-client';
import { ConnectError, messageOf } from '@millrace/sdk';
import { failureOf } from '../../../dead-letters/failure-of';
import { originalRecord } from '../../../dead-letters/original-record';
import { openCluster } from '../../kafka/open-cluster';
import type { StartPosition } from '../../kafka/read-options';
import { readTopic } from '../../kafka/read-topic';
import { clusterSetup } from '../../worker/command-config';

interface ReplayOptions {
  readonly from: StartPosition;
  readonly count?: number;
  readonly partition?: number;
  readonly connector?: string;
  readonly to?: string;
  readonly dryRun?: boolean;
}

interface Tally {
  /** By topic. */
  readonly sent: Map<string, number>;
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
  const tally: Tally = { sent: new Map(), skipped: 0, failure: null };
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
  return isSignalled() ? EXIT.interrupted : EXIT.success;
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
  if (!producer) return void count();
  const fail = (error: unknown): unknown =>
    (tally.failure ??= { at: `${topic}-${partition}@${record.offset}`, reason: messageOf(error) });
  try {
    if (!producer.isPrepared(target)) await producer.prepare([target]);
    await producer.whenReady();
    const replayed = { topic: target, partition: options.to === undefined ? failure.partition : null };
    producer.send(originalRecord(record, replayed), (error) => (error ? fail(error) : count()));
  } catch (error) {
    fail(error);
  }
}

function report({ io }: Invocation, { dryRun, connector }: ReplayOptions, { sent, skipped, failure }: Tally): void {
  const verb = dryRun === true ? 'would be sent' : 'sent';
  for (const [topic, count] of sent) io.stdout.write(`${count} records ${verb} to ${printable(topic)}\n`);
  if (sent.size === 0) io.stdout.write(`0 records ${verb}\n`);
  const why =
    connector === undefined ? 'they do not say where they came from; see --to' : `not of connector ${connector}`;
  if (skipped > 0) io.stderr.write(`${skipped} records skipped: ${why}.\n`);
  if (failure === null) return;
  throw new ConnectError(
    `The record at ${failure.at} was not sent: ${failure.reason} Continue with --partition and --from.`,
    { code: 'DLQ_REPLAY' },
  );
}
