/**
 * `millrace produce FILE --topic T`: sends each line of a file as a message. Exit codes: 0 if all were acknowledged, 1
 * if some were not, 130 after a signal.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type CliIo, EXIT, type Invocation, type VerbSpec } from '@millrace/cli';
import { fail, ProgressLine } from '@millrace/cli/terminal';
import type { Producer } from '@millrace/kafka-client';
import { ConnectError } from '@millrace/sdk';
import type { WorkerSetup } from '../worker/read-config';

export const command: VerbSpec = {
  name: 'produce',
  description: `Send each line of a file as a message.

It prints FILE:LINE, partition and offset of each message. It stops reading at the first failure, prints the lines that were not delivered on stderr, and exits with code 1. Worker settings with the prefix "producer." override those without.`,
  arguments: [{ name: '<file>', description: 'the lines; - is standard input', completes: 'files' }],
  options: [
    { flags: '--topic <topic>', description: 'topic to write to', required: true },
    { flags: '--quiet', description: 'print only the summary, not a line for each message' },
  ],
  shared: ['cluster', 'context'],
  examples: [
    { command: 'produce storms.csv --topic storm-events', explanation: 'Load a file into a topic' },
    { command: 'produce - --topic ticks --quiet', explanation: 'Send what another program writes' },
  ],
  run,
};

/** Resolves to a connected producer. */
export type OpenProducer = typeof produceTo;

interface Input {
  /** Name in messages. */
  readonly name: string;
  readonly stream: Readable;
  /** Bytes; null if unknown. */
  readonly size: number | null;
}

export async function run(invocation: Invocation, openProducer: OpenProducer = produceTo): Promise<number> {
  const { io } = invocation;
  const crashed = new Promise<number>((done) => io.onCrash((error) => done(fail(io, error))));
  return await Promise.race([crashed, produce(invocation, openProducer)]);
}

async function produce(invocation: Invocation, openProducer: OpenProducer): Promise<number> {
  const { io } = invocation;
  const options = produceOptions(invocation);
  const input = await openInput(options.file, io);
  const { clusterSetup } = require('../worker/command-config') as typeof import('../worker/command-config');
  const setup = await clusterSetup(invocation);
  const producer = await openProducer(setup, io);
  try {
    await producer.prepare([options.topic]);
    return await send(options, input, producer, io);
  } finally {
    input.stream.destroy();
    // All lines are delivered or reported as failed, so nothing may be sent after the report.
    await producer.close(0);
  }
}

async function send({ topic, quiet }: ProduceOptions, input: Input, producer: Producer, io: CliIo): Promise<number> {
  const { name, stream, size } = input;
  const { stdout, stderr, show } = new ProgressLine(io);
  const stopping = new AbortController();
  io.onSignal(() => {
    // A second signal does not wait: messages in flight are reported as not delivered.
    if (stopping.signal.aborted) void producer.close(0);
    stopping.abort();
  });
  const { sendLines } = require('./produce/sending') as typeof import('./produce/sending');
  const sending = sendLines({
    producer,
    topic,
    name,
    stream,
    stopping: stopping.signal,
    onText: (text) => (quiet ? undefined : stdout.write(text)),
    // Called only once there is something to show.
    onProgress: () =>
      show(() =>
        progressBar({ name, done: sending.acknowledgedBytes, total: size, messages: sending.report.delivered }),
      ),
  });
  const { report } = sending;
  try {
    await sending.done;
  } finally {
    for (const text of report.failureTexts()) stderr.write(text);
    stderr.write(report.summary());
    if (!sending.complete) stderr.write(`Nothing after ${name}:${sending.lines} was sent.\n`);
  }
  if (stopping.signal.aborted) return EXIT.interrupted;
  return report.failed ? 1 : 0;
}

/** Opened before connecting to Kafka. @throws ConnectError `PRODUCE_INPUT` */
async function openInput(file: string, io: CliIo): Promise<Input> {
  if (file === '-') return { name: 'stdin', stream: io.stdin, size: null };
  const path = resolve(io.cwd, file);
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new Error('it is a directory');
    const stream = createReadStream(path);
    await new Promise((opened, failed) => stream.once('open', opened).once('error', failed));
    return { name: file, stream, size: stats.isFile() ? stats.size : null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'permission denied' : message;
    throw new ConnectError(`Cannot read ${path}: ${reason}.`, { code: 'PRODUCE_INPUT', cause: error });
  }
}

interface ProduceOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly topic: string;
  /** Print only the summary, not a line for each message. */
  readonly quiet: boolean;
}

/** Kafka's rule for topic names. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** @throws ConnectError `CLI_USAGE` for an invalid topic name. */
export function produceOptions(invocation: Pick<Invocation, 'args' | 'options'>): ProduceOptions {
  const { topic, quiet = false } = invocation.options as { topic: string; quiet?: boolean };
  if (!TOPIC_NAME.test(topic)) {
    throw new ConnectError(
      `"${topic}" is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes.`,
      { code: 'CLI_USAGE' },
    );
  }
  return { file: invocation.args[0] as string, topic, quiet };
}

/**
 * Returns a connected producer with the worker's settings, overridden by those with the prefix `producer.`.
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT`; KafkaError if it cannot connect.
 */
async function produceTo(
  setup: Pick<WorkerSetup, 'config' | 'embedded'>,
  io: Pick<CliIo, 'stderr' | 'env'>,
): Promise<Producer> {
  // On demand, as all that takes long to load: commands start without what they do not need.
  const { openCluster } = require('../kafka/open-cluster') as typeof import('../kafka/open-cluster');
  const { clients, settings, showLog } = await openCluster(setup, io, 'produce');
  const producer = clients.producer(settings('producer'));
  try {
    await producer.connect();
  } catch (error) {
    await producer.close();
    throw error;
  }
  showLog();
  return producer;
}

interface Progress {
  readonly name: string;
  /** Bytes read and acknowledged. */
  readonly done: number;
  /** Null if unknown, e.g. for standard input. */
  readonly total: number | null;
  readonly messages: number;
}

const BAR_WIDTH = 30;

/** One line without line ending. */
export function progressBar({ name, done, total, messages }: Progress): string {
  const count = `${messages} message${messages === 1 ? '' : 's'}`;
  if (total === null) return `${name} ${count}`;
  const share = total === 0 ? 1 : Math.min(Math.max(done / total, 0), 1);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
  return `${name} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} % ${count}`;
}
