/**
 * A client connection. Requests are read and handled one after another, so that responses stay in order and TCP
 * backpressure slows down a client that sends faster than it receives responses.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startTimer } from '../clock';
import { readRequest, writeResponse } from '../protocol/request';
import type { Dispatch, Session } from '../requests/handler';
import { MalformedMessage } from '@millrace/kafka-protocol';
import { FrameAssembler, FrameTooLarge } from './frames';
import type { MemoryBudget, MemoryShare } from './memory-budget';

export interface ConnectionLimits {
  readonly maxRequestBytes: number;
  readonly maxRequestBytesBeforeAuthentication: number;
  /**
   * Milliseconds after which a connection is closed that sends no request, does not complete one or does not read a
   * response.
   */
  readonly maxIdleMs: number;
  readonly memory: MemoryBudget;
}

export class Connection {
  private readonly frames: FrameAssembler;
  private readonly closing = new AbortController();
  private readonly session: Session;
  private readonly host: string;
  private readonly memory: MemoryShare;
  private processing: Promise<void> | null = null;
  /** More bytes have come since `processFrames` was called. It may have looked for frames for the last time. */
  private hasArrived = false;
  /** When the first bytes of the incomplete request arrived, on the monotonic clock. */
  private frameStartedAt = 0;

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
      this.closeWithError(
        new FrameTooLarge(`buffers more than any other; all connections together exceed ${limits.memory.limit} bytes`),
      ),
    );
    this.frames = new FrameAssembler(
      () => (this.session.authenticated ? limits.maxRequestBytes : limits.maxRequestBytesBeforeAuthentication),
      this.memory,
    );
    socket.setNoDelay(true);
    socket.setTimeout(limits.maxIdleMs, () => {
      if (!this.processing) this.close();
    });
    socket.on('data', (chunk: Buffer) => this.onData(chunk));
    // 'close' follows every 'error'.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closing.abort();
      this.memory.close();
      this.frames.drop();
    });
  }

  close(): void {
    this.closing.abort();
    this.socket.destroy();
  }

  /** Resolves when no request is in progress. */
  async settled(): Promise<void> {
    await this.processing;
  }

  private onData(chunk: Buffer): void {
    if (this.closing.signal.aborted) return;
    if (!this.frames.hasIncompleteFrame) this.frameStartedAt = performance.now();
    else if (performance.now() - this.frameStartedAt > this.limits.maxIdleMs && !this.processing) {
      return this.closeWithError(new FrameTooLarge(`took more than ${this.limits.maxIdleMs} ms to arrive`));
    }
    this.frames.push(chunk);
    this.hasArrived = true;
    if (this.processing === null) this.process();
  }

  private process(): void {
    this.hasArrived = false;
    this.processing = this.processFrames().finally(() => {
      this.processing = null;
      if (this.socket.destroyed) return;
      // A socket that is resumed emits all chunks that it has read in one turn, before this promise has settled.
      if (this.hasArrived) this.process();
      else this.socket.resume();
    });
  }

  private async processFrames(): Promise<void> {
    try {
      for (let frame = this.frames.next(); frame; frame = this.frames.next()) {
        this.socket.pause();
        this.memory.add(frame.length);
        if (!(await this.handleFrame(frame))) return this.close();
        this.memory.add(-frame.length);
        if (this.closing.signal.aborted) return;
        this.frameStartedAt = performance.now();
      }
    } catch (error) {
      this.closeWithError(error);
    }
  }

  /** False: the connection must be closed. */
  private async handleFrame(frame: Buffer): Promise<boolean> {
    if (this.session.rawSasl) return this.handleSaslToken(frame, this.session.rawSasl);
    const request = readRequest(frame);
    const response = await this.dispatch(
      request,
      {
        clientId: request.clientId,
        connection: { id: this.id, host: this.host },
        apiVersion: request.version,
        signal: this.closing.signal,
      },
      this.session,
    );
    if (response === 'close') return false;
    if (response !== null && !this.closing.signal.aborted) await this.send(writeResponse(request, response));
    return true;
  }

  private async handleSaslToken(token: Buffer, exchange: (token: Buffer) => Buffer | null): Promise<boolean> {
    const response = exchange(token);
    if (response === null) return false;
    const length = Buffer.alloc(4);
    length.writeInt32BE(response.length, 0);
    await this.send([length, response]);
    return true;
  }

  private async send(chunks: readonly Buffer[]): Promise<void> {
    this.socket.cork();
    let flowing = true;
    for (const chunk of chunks) flowing = this.socket.write(chunk);
    this.socket.uncork();
    if (flowing) return;
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.memory.add(bytes);
    const timeout = startTimer(() => this.close(), this.limits.maxIdleMs);
    // Closing the connection aborts the wait.
    await once(this.socket, 'drain', { signal: this.closing.signal }).catch(() => {});
    clearTimeout(timeout);
    this.memory.add(-bytes);
  }

  private closeWithError(error: unknown): void {
    const fault = error as Error;
    const reason =
      fault instanceof MalformedMessage || fault instanceof FrameTooLarge
        ? `a request from ${this.host} ${fault.message}`
        : `a request from ${this.host} failed: ${fault.stack ?? fault.message}`;
    if (!this.closing.signal.aborted) this.log(`Connection closed: ${reason}.`);
    this.close();
  }
}
