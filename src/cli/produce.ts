/**
 * `millrace produce FILE --topic T`: each line of a file becomes a message. Exit code 0 says that all were
 * acknowledged; 1 that some were not, each of them named; 130 that a signal ended it.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import type { Producer } from '../kafka/port';
import { DEV_DEFAULTS } from './dev';
import type { CliIo } from './io';
import { parseProduceOptions, type ProduceOptions } from './produce-options';
import type * as Target from './produce-target';
import { Screen } from './produce-screen';
import { sendLines } from './produce-sending';
import { readConfig } from './read-config';
import { fail } from './start';

const INTERRUPTED = 130;

/** Resolves to a connected producer. */
export type OpenProducer = typeof Target.produceTo;

/** The Kafka client is loaded when it is needed: the other verbs start without it. */
const openRealProducer: OpenProducer = async (...args) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { produceTo } = require('./produce-target') as typeof Target;
  return await produceTo(...args);
};

interface Input {
  /** In messages to the user. */
  readonly name: string;
  readonly stream: Readable;
  /** Bytes; null: nobody knows. */
  readonly size: number | null;
}

export async function produce(
  args: readonly string[],
  io: CliIo,
  openProducer: OpenProducer = openRealProducer,
): Promise<number> {
  let options: ProduceOptions;
  try {
    options = parseProduceOptions(args);
  } catch (error) {
    const usage = 'Usage: millrace produce FILE --topic T [--config worker.properties] [--data-dir FOLDER] [--quiet]';
    io.stderr.write(`${(error as Error).message}\n${usage}\n`);
    return 2;
  }
  const crashed = new Promise<number>((done) => io.onCrash((error) => done(fail(io, error))));
  return await Promise.race([crashed, run(options, io, openProducer).catch((error: unknown) => fail(io, error))]);
}

async function run(options: ProduceOptions, io: CliIo, openProducer: OpenProducer): Promise<number> {
  const input = await openInput(options.file, io);
  const setup = await readConfig({ defaults: DEV_DEFAULTS, usualFile: 'worker.properties', given: options.worker }, io);
  const producer = await openProducer(setup, io);
  try {
    await producer.prepare([options.topic]);
    return await send(options, input, producer, io);
  } finally {
    input.stream.destroy();
    // What could be delivered has been, or is reported as lost: nothing may be sent behind the report.
    await producer.close(0);
  }
}

async function send({ topic, quiet }: ProduceOptions, input: Input, producer: Producer, io: CliIo): Promise<number> {
  const { name, stream, size } = input;
  let screen: Screen | null = null;
  const stopping = new AbortController();
  io.onSignal(() => {
    // A second one waits for nothing: what is on its way is reported as lost.
    if (stopping.signal.aborted) void producer.close(0);
    stopping.abort();
  });
  const sending = sendLines({
    producer,
    topic,
    name,
    stream,
    stopping: stopping.signal,
    onText: (text) => (quiet ? undefined : screen?.out(text)),
    onProgress: () => screen?.draw(),
  });
  const { report } = sending;
  screen = new Screen(io, () => ({ name, done: sending.acknowledgedBytes, total: size, messages: report.delivered }));
  try {
    await sending.done;
  } finally {
    for (const text of report.failureTexts()) screen.err(text);
    screen.err(report.summary());
    if (!sending.complete) screen.err(`Nothing behind ${name}:${sending.lines} was sent.\n`);
  }
  if (stopping.signal.aborted) return INTERRUPTED;
  return report.failed ? 1 : 0;
}

/** Throws ConnectError `PRODUCE_INPUT`, before anybody speaks to Kafka. */
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
    const reason = code === 'ENOENT' ? 'it is not there' : code === 'EACCES' ? 'this user may not read it' : message;
    throw new ConnectError(`Cannot read ${path}: ${reason}.`, { code: 'PRODUCE_INPUT', cause: error });
  }
}
