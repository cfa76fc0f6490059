import type { Socket } from 'node:net';
import { ConnectError, isErrorLike, startTimer } from '@millrace/sdk';
import { type AnswerFrame, type Content, FrameWriter, readFrame, type RequestFrame } from '../wire/frame';
import { FrameSplitter } from '../wire/frame-splitter';
import type { HostMap, HostValue } from '../wire/host-value';
import { errorValue } from '../wire/java-error';
import { StringCache } from '../wire/string-cache';
import type { Handler, HostSession } from './host-session';
import { PendingCalls } from './pending-calls';

export type EndCause = () => Promise<Error | null>;

/** Calls from the host that are handled at once. With more, nothing is read until some are answered. */
const MAX_HANDLED = 1000;
/** What may wait for its handler. */
const MAX_EARLY = 1000;
/** What may wait for a JVM that does not read. Bytes. */
const MAX_UNSENT = 512 * 1024 * 1024;
/** For what is written when the session is closed. */
const CLOSE_MS = 1000;

export class SocketSession implements HostSession {
  opened: HostMap = Object.create(null) as HostMap;
  readonly ended: Promise<Error | null>;
  private readonly pending = new PendingCalls();
  private readonly handlers = new Map<string, Handler>();
  private readonly splitter = new FrameSplitter();
  private readonly writer = new FrameWriter();
  private readonly strings = new StringCache();
  /** Came before the first call that follows `open`; null from then on. */
  private early: RequestFrame[] | null = [];
  private handled = 0;
  private failure: Error | null = null;
  private closed = false;
  /** Why calls reject from now on; null while the connection is open. */
  private reason: Error | null = null;
  private resolveEnded!: (reason: Error | null) => void;

  constructor(
    private readonly socket: Socket,
    private readonly cause: EndCause = () => Promise.resolve(null),
  ) {
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    socket.on('data', (chunk) => this.onData(chunk));
    socket.on('error', (error) => (this.failure ??= error));
    socket.on('close', () => void this.onClose());
  }

  open(session: HostMap): Promise<HostValue> {
    return this.request((number) => this.writer.call(number, 'open', [session]));
  }

  call(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    this.endEarly();
    return this.request((number) => this.writer.call(number, method, args));
  }

  callWithBytes(method: string, content: Content): Promise<HostValue> {
    this.endEarly();
    return this.request((number) => this.writer.callWithBytes(number, method, content));
  }

  event(method: string, ...args: readonly HostValue[]): void {
    if (!this.closed) this.send(this.writer.event(method, args));
  }

  eventWithBytes(method: string, content: Content): void {
    if (!this.closed) this.send(this.writer.eventWithBytes(method, content));
  }

  handle(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
    const { early } = this;
    if (!early || early.length === 0) return;
    this.early = early.filter((request) => request.method !== method);
    for (const request of early) if (request.method === method) this.answer(request, handler);
  }

  async flushed(): Promise<void> {
    const { socket } = this;
    if (!socket.writableNeedDrain || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.reason ??= new ConnectError('The session in the JVM has been closed.', { code: 'JVM_SESSION_CLOSED' });
    this.pending.rejectAll(this.reason);
    const { socket } = this;
    socket.unref();
    socket.destroySoon();
    // What is written still leaves, but a JVM that does not read it keeps neither this thread nor the process.
    if (socket.destroyed) return;
    const timer = startTimer(() => socket.destroy(), CLOSE_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  private request(frame: (number: number) => Buffer): Promise<HostValue> {
    if (this.reason) return Promise.reject(this.reason);
    const { number, result } = this.pending.add();
    // A session that nobody waits for keeps neither its thread nor the process.
    this.socket.ref();
    try {
      this.send(frame(number));
    } catch (error) {
      this.pending.remove(number);
      if (this.pending.size === 0) this.socket.unref();
      return Promise.reject(error as Error);
    }
    return result;
  }

  private send(frame: Buffer): void {
    this.socket.write(frame);
    if (this.socket.writableLength > MAX_UNSENT)
      this.fail(
        new ConnectError('The JVM of this plugin reads nothing any more.', { code: 'JVM_STUCK', restartable: true }),
      );
  }

  private onData(chunk: Buffer): void {
    try {
      this.splitter.push(chunk);
      for (let bytes = this.splitter.next(); bytes !== null && !this.closed; bytes = this.splitter.next())
        this.onFrame(readFrame(bytes, this.strings));
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private onFrame(frame: RequestFrame | AnswerFrame): void {
    if ('value' in frame) {
      this.pending.settle(frame.type, frame.number, frame.value);
      if (this.pending.size === 0) this.socket.unref();
      return;
    }
    const handler = this.handlers.get(frame.method);
    if (handler) this.answer(frame, handler);
    else if (this.early && this.early.length < MAX_EARLY) this.early.push(frame);
    else this.answerUnknown(frame);
  }

  /** An exception of an event's handler ends the connection, as nobody else learns of it. */
  private answer({ type, number, args }: RequestFrame, handler: Handler): void {
    if (type === 'event') return void handler(...args);
    if (++this.handled >= MAX_HANDLED) this.socket.pause();
    Promise.resolve()
      .then(() => handler(...args))
      .then((result) => this.reply(this.writer.result(number, (result ?? null) as HostValue)))
      .catch((error) => this.reply(this.writer.error(number, errorValue(error))))
      .finally(() => {
        if (--this.handled < MAX_HANDLED && this.socket.isPaused()) this.socket.resume();
      });
  }

  private answerUnknown({ type, number, method }: RequestFrame): void {
    if (type === 'event') return;
    const error = new ConnectError(`This worker does not know the call ${method} of the Java host.`);
    this.reply(this.writer.error(number, errorValue(error)));
  }

  private reply(frame: Buffer): void {
    if (!this.closed && this.reason === null) this.send(frame);
  }

  private endEarly(): void {
    const { early } = this;
    this.early = null;
    for (const request of early ?? []) this.answerUnknown(request);
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.socket.destroy();
  }

  private async onClose(): Promise<void> {
    if (this.closed) {
      this.resolveEnded(null);
      return;
    }
    const reason = await this.endReason();
    this.reason ??= reason;
    this.closed = true;
    this.pending.rejectAll(this.reason);
    this.resolveEnded(reason);
  }

  private async endReason(): Promise<Error> {
    // Its own reading has failed: the JVM knows nothing of it.
    if (this.failure instanceof ConnectError) return this.failure;
    const cause = await this.cause().catch((error: unknown) => (isErrorLike(error) ? error : null));
    return (
      cause ??
      new ConnectError('The JVM of this plugin has ended the connection.', {
        code: 'JVM_ENDED',
        restartable: true,
        ...(this.failure && { cause: this.failure }),
      })
    );
  }
}
