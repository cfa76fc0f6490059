/** Lines into a producer, as fast as it takes them: what is on its way is bounded by the producer's `buffer.memory`. */
import type { Readable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import { KafkaError } from '../kafka/errors';
import type { Producer } from '../kafka/port';
import { LineCutter } from './produce-lines';
import { ProduceReport } from './produce-report';

export interface SendingOptions {
  /** Connected, with the topic prepared. */
  readonly producer: Producer;
  readonly topic: string;
  /** Of the input. */
  readonly name: string;
  readonly stream: Readable;
  /** Ends the reading; what is on its way is waited for. */
  readonly stopping: AbortSignal;
  /** Lines about messages that were acknowledged, many at a time. */
  readonly onText: (text: string) => void;
  readonly onProgress: () => void;
}

export interface Sending {
  readonly report: ProduceReport;
  /** How many lines were handed to the producer. */
  readonly lines: number;
  /** The input was read to its end. */
  readonly complete: boolean;
  readonly acknowledgedBytes: number;
  /**
   * Resolves when every line that was sent is acknowledged or has failed. Rejects when the input cannot be read; what
   * was sent is waited for first.
   */
  readonly done: Promise<void>;
}

/** The first failure ends the reading, so that there is one gap at most for each partition. */
export function sendLines(options: SendingOptions): Sending {
  const { producer, topic, name, stream, stopping } = options;
  const cutter = new LineCutter(name);
  const report = new ProduceReport(name, topic);
  let lines = 0;
  let bytes = 0;
  let complete = false;
  let texts: string[] = [];
  const mayRead = (): boolean => !report.failed && !stopping.aborted;
  // Also where the next line is waited for.
  stopping.addEventListener('abort', () => stream.destroy(), { once: true });

  function show(): void {
    if (texts.length === 0) return;
    const text = texts.join('');
    texts = [];
    options.onText(text);
    options.onProgress();
  }

  function onDelivery(error: KafkaError | null, line: number, _: string, partition: number, offset: number): void {
    if (error) return refuse(line, error);
    // A batch of messages is acknowledged at once and shown at once.
    if (texts.push(report.deliver(line, partition, offset)) === 1) setImmediate(show);
  }

  function refuse(line: number, { message, code }: KafkaError): void {
    report.fail(line, `${message} (${code})`);
    stream.destroy();
  }

  function send(value: Buffer): void {
    lines++;
    try {
      producer.send({ topic, key: null, value }, onDelivery, lines);
    } catch (error) {
      refuse(lines, error as KafkaError);
    }
  }

  async function sendAll(): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Input may be long in coming, and the topic may have left what the producer knows meanwhile.
      if (!producer.isPrepared(topic)) await producer.prepare([topic]);
      for (const line of cutter.push(chunk)) {
        if (!mayRead()) return;
        send(line);
      }
      options.onProgress();
      await producer.whenReady();
    }
    const rest = cutter.rest();
    if (rest !== null) {
      if (!mayRead()) return;
      send(rest);
    }
    complete = true;
  }

  async function run(): Promise<void> {
    try {
      await sendAll();
    } catch (error) {
      // Or else it was closed here.
      if (mayRead()) throw unreadable(name, lines, error);
    } finally {
      await producer.flush();
      show();
    }
  }

  return {
    report,
    get lines() {
      return lines;
    },
    get complete() {
      return complete;
    },
    get acknowledgedBytes() {
      return bytes - producer.bufferedBytes;
    },
    done: run(),
  };
}

function unreadable(name: string, lines: number, error: unknown): Error {
  if (error instanceof ConnectError || error instanceof KafkaError) return error;
  return new ConnectError(`Cannot read ${name} behind line ${lines}: ${(error as Error).message}`, {
    code: 'PRODUCE_INPUT',
    cause: error,
  });
}
