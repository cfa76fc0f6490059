/**
 * `millrace produce FILE --topic T`: sends each line of a file as a message. Exit codes: 0 if all were acknowledged, 1
 * if some were not, 130 after a signal.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import type { Producer } from '../../kafka/port';
import { EXIT } from '../exit-codes';
import { fail } from '../output/fail';
import type { CliIo } from '../io';
import { clusterSetup } from '../worker/command-config';
import { produceOptions, type ProduceOptions } from './options';
import type { Invocation } from '../program/command-spec';
import type * as Target from './target';
import { ProgressLine } from '../output/progress-line';
import { progressBar } from './progress-bar';
import { sendLines } from './sending';

/** Resolves to a connected producer. */
export type OpenProducer = typeof Target.produceTo;

/** Loads the Kafka client on demand, so that other commands start without it. */
const loadAndOpenProducer: OpenProducer = async (...args) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { produceTo } = require('./target') as typeof Target;
  return await produceTo(...args);
};

interface Input {
  /** Name in messages. */
  readonly name: string;
  readonly stream: Readable;
  /** Bytes; null if unknown. */
  readonly size: number | null;
}

export async function run(invocation: Invocation, openProducer: OpenProducer = loadAndOpenProducer): Promise<number> {
  const { io } = invocation;
  const crashed = new Promise<number>((done) => io.onCrash((error) => done(fail(io, error))));
  return await Promise.race([crashed, produce(invocation, openProducer)]);
}

async function produce(invocation: Invocation, openProducer: OpenProducer): Promise<number> {
  const { io } = invocation;
  const options = produceOptions(invocation);
  const input = await openInput(options.file, io);
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
