/** Sends lines to a producer. Unacknowledged messages are bounded by the producer's `buffer.memory`. */
import type { Readable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import { KafkaError, type Producer } from '@millrace/kafka-client';
import { ProduceReport } from './report';

export interface SendingOptions {
  /** Connected, with the topic prepared. */
  readonly producer: Producer;
  readonly topic: string;
  /** Name of the input. */
  readonly name: string;
  readonly stream: Readable;
  /** Stops reading; messages in flight are waited for. */
  readonly stopping: AbortSignal;
  /** Called with the report lines of acknowledged messages, many at a time. */
  readonly onText: (text: string) => void;
  readonly onProgress: () => void;
}

export interface Sending {
  readonly report: ProduceReport;
  /** Number of lines passed to the producer. */
  readonly lines: number;
  /** The whole input was read. */
  readonly complete: boolean;
  readonly acknowledgedBytes: number;
  /**
   * Resolves when every line that was sent is acknowledged or has failed. Rejects if the input cannot be read, after
   * messages in flight have completed.
   */
  readonly done: Promise<void>;
}

/** Stops reading at the first failure, so that each partition has at most one gap. */
export function sendLines(options: SendingOptions): Sending {
  const { producer, topic, name, stream, stopping } = options;
  const cutter = new LineCutter(name);
  const report = new ProduceReport(name, topic);
  let lines = 0;
  let bytes = 0;
  let complete = false;
  let texts: string[] = [];
  const mayRead = (): boolean => !report.failed && !stopping.aborted;
  // Also ends the wait for the next line.
  stopping.addEventListener('abort', () => stream.destroy(), { once: true });

  function show(): void {
    if (texts.length === 0) return;
    const text = texts.join('');
    texts = [];
    options.onText(text);
    options.onProgress();
  }

  function onDelivery(error: KafkaError | null, line: number, _: string, partition: number, offset: number): void {
    if (error) return failLine(line, error);
    // Messages of a batch are acknowledged together, so their lines are written together.
    if (texts.push(report.deliver(line, partition, offset)) === 1) setImmediate(show);
  }

  function failLine(line: number, { message, code }: KafkaError): void {
    report.fail(line, `${message} (${code})`);
    stream.destroy();
  }

  function send(value: Buffer): void {
    lines++;
    try {
      producer.send({ topic, key: null, value }, onDelivery, lines);
    } catch (error) {
      failLine(lines, error as KafkaError);
    }
  }

  async function sendAll(): Promise<void> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // The input may pause until the topic has expired from the producer’s metadata.
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
      // Otherwise the stream was destroyed here, which is not an error of the input.
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
  return new ConnectError(`Cannot read ${name} after line ${lines}: ${(error as Error).message}`, {
    code: 'PRODUCE_INPUT',
    cause: error,
  });
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const LONGEST = 64 * 1024 * 1024;

/** Splits a stream of bytes into lines, which end with `\n` or `\r\n`. The bytes of a line are not decoded. */
export class LineCutter {
  /** Parts of an incomplete line. */
  private parts: Buffer[] = [];
  private pending = 0;
  private count = 0;

  /** @param longest maximum length of a line, bytes */
  constructor(
    private readonly name: string,
    private readonly longest = LONGEST,
  ) {}

  /**
   * The lines that end in `chunk`, without line endings. They are views of `chunk` if they also begin there.
   * @throws ConnectError `PRODUCE_INPUT` for a line that is too long.
   */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line ending; otherwise null. */
  rest(): Buffer | null {
    return this.pending === 0 ? null : this.take();
  }

  private keep(part: Buffer): void {
    this.pending += part.length;
    if (this.pending > this.longest) {
      throw new ConnectError(
        `${this.name}:${this.count + 1} exceeds the maximum line length of ${this.longest} bytes.`,
        { code: 'PRODUCE_INPUT' },
      );
    }
    this.parts.push(part);
  }

  private take(): Buffer {
    const line = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.parts = [];
    this.pending = 0;
    this.count++;
    return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
  }
}
