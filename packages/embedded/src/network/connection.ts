/**
 * One client's connection. Requests are read, handled and answered one after the other, so responses keep their order
 * and a client that sends faster than it is answered is held back by TCP, not by memory here.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startTimer } from '../clock';
import { readRequest, writeResponse } from '../protocol/request';
import type { Dispatch, Session } from '../requests/handler';
import { MalformedMessage } from '../protocol/reader';
import { FrameAssembler, FrameTooLarge } from './frames';
import type { MemoryBudget, MemoryShare } from './memory-budget';

export interface ConnectionLimits {
  readonly maxRequestBytes: number;
  readonly maxRequestBytesBeforeAuthentication: number;
  /**
   * Milliseconds after which a client is gone: without a request, with one that does not end, and with a response that
   * it does not take.
   */
  readonly maxIdleMs: number;
  readonly memory: MemoryBudget;
}

export class Connection {
  private readonly frames: FrameAssembler;
  private readonly gone = new AbortController();
  private readonly session: Session;
  private readonly host: string;
  private readonly memory: MemoryShare;
  private working: Promise<void> | null = null;
  /** When the request that is not complete yet began, on the monotonic clock. */
  private frameBegan = 0;

  constructor(
    readonly id: number,
    private readonly socket: Socket,
    private readonly dispatch: Dispatch,
    private readonly limits: ConnectionLimits,
    authenticated: boolean,
    private readonly log: (line: string) => void,
  ) {
    this.session = { authenticated, saslMechanism: null, rawSasl: null };
    this.host = socket.remoteAddress ?? 'unknown';
    this.memory = limits.memory.share(() =>
      this.give(new FrameTooLarge(`is the largest of those that hold more than ${limits.memory.limit} bytes together`)),
    );
    this.frames = new FrameAssembler(
      () => (this.session.authenticated ? limits.maxRequestBytes : limits.maxRequestBytesBeforeAuthentication),
      this.memory,
    );
    socket.setNoDelay(true);
    socket.setTimeout(limits.maxIdleMs, () => {
      if (!this.working) this.close();
    });
    socket.on('data', (chunk: Buffer) => this.received(chunk));
    // Whatever went wrong with the socket, 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.gone.abort();
      this.memory.close();
      this.frames.drop();
    });
  }

  close(): void {
    this.gone.abort();
    this.socket.destroy();
  }

  /** Resolves when no request is being handled any more. */
  async settled(): Promise<void> {
    await this.working;
  }

  private received(chunk: Buffer): void {
    if (this.gone.signal.aborted) return;
    if (!this.frames.isInside) this.frameBegan = performance.now();
    else if (performance.now() - this.frameBegan > this.limits.maxIdleMs && !this.working) {
      return this.give(new FrameTooLarge(`takes more than ${this.limits.maxIdleMs} ms to arrive`));
    }
    this.frames.push(chunk);
    this.working ??= this.work().finally(() => {
      this.working = null;
      if (!this.socket.destroyed) this.socket.resume();
    });
  }

  private async work(): Promise<void> {
    try {
      for (let frame = this.frames.next(); frame; frame = this.frames.next()) {
        this.socket.pause();
        this.memory.hold(frame.length);
        if (!(await this.answer(frame))) return this.close();
        this.memory.hold(-frame.length);
        if (this.gone.signal.aborted) return;
        this.frameBegan = performance.now();
      }
    } catch (error) {
      this.give(error);
    }
  }

  /** False: the connection is to be closed. */
  private async answer(frame: Buffer): Promise<boolean> {
    if (this.session.rawSasl) return this.answerToken(frame, this.session.rawSasl);
    const request = readRequest(frame);
    const response = await this.dispatch(
      request,
      {
        clientId: request.clientId,
        connection: { id: this.id, host: this.host },
        apiVersion: request.version,
        signal: this.gone.signal,
      },
      this.session,
    );
    if (response === 'close') return false;
    if (response !== null && !this.gone.signal.aborted) await this.send(writeResponse(request, response));
    return true;
  }

  private async answerToken(token: Buffer, exchange: (token: Buffer) => Buffer | null): Promise<boolean> {
    const answer = exchange(token);
    if (answer === null) return false;
    const length = Buffer.alloc(4);
    length.writeInt32BE(answer.length, 0);
    await this.send([length, answer]);
    return true;
  }

  private async send(chunks: readonly Buffer[]): Promise<void> {
    this.socket.cork();
    let flowing = true;
    for (const chunk of chunks) flowing = this.socket.write(chunk);
    this.socket.uncork();
    if (flowing) return;
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.memory.hold(bytes);
    const giveUp = startTimer(() => this.close(), this.limits.maxIdleMs);
    // A connection that is closed meanwhile aborts the wait; its responses are of no use to anyone.
    await once(this.socket, 'drain', { signal: this.gone.signal }).catch(() => {});
    clearTimeout(giveUp);
    this.memory.hold(-bytes);
  }

  private give(error: unknown): void {
    const fault = error as Error;
    const blame =
      fault instanceof MalformedMessage || fault instanceof FrameTooLarge
        ? `a request from ${this.host} ${fault.message}`
        : `a request from ${this.host} could not be handled: ${fault.stack ?? fault.message}`;
    if (!this.gone.signal.aborted) this.log(`Connection closed: ${blame}.`);
    this.close();
  }
}
