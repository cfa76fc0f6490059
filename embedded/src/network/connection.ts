/**
 * One client's connection. Requests are read, handled and answered one after the other, so responses keep their order and
 * a client that sends faster than it is answered is held back by TCP, not by memory here.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { RequestContext } from '../handler';
import { MalformedMessage } from '../protocol/reader';
import { FrameAssembler, FrameTooLarge, type FrameBudget } from './frames';
import { readRequest, writeResponse, type ReceivedRequest } from './request';

/** Answers a request of an authenticated or yet to be authenticated connection. `close`: nothing is answered, the connection ends. */
export type Dispatch = (
  request: ReceivedRequest,
  context: RequestContext,
  session: Session,
) => Promise<object | null | 'close'>;

/** What is known about a connection besides its bytes. */
export interface Session {
  /** False until a SASL exchange has succeeded, where one is required. */
  authenticated: boolean;
  /** Set by a handshake of version 0: what follows are bare tokens, not requests. */
  saslMechanism: string | null;
  rawSasl: ((token: Buffer) => Buffer | null) | null;
}

export interface ConnectionLimits {
  readonly maxRequestBytes: number;
  readonly maxRequestBytesBeforeAuthentication: number;
  /** Milliseconds without a byte from the client after which it is gone. */
  readonly maxIdleMs: number;
  readonly budget: FrameBudget;
}

export class Connection {
  private readonly frames: FrameAssembler;
  private readonly gone = new AbortController();
  private readonly session: Session;
  private readonly host: string;
  private working: Promise<void> | null = null;

  constructor(
    readonly id: number,
    private readonly socket: Socket,
    private readonly dispatch: Dispatch,
    limits: ConnectionLimits,
    authenticated: boolean,
    private readonly log: (line: string) => void,
  ) {
    this.session = { authenticated, saslMechanism: null, rawSasl: null };
    this.host = socket.remoteAddress ?? 'unknown';
    this.frames = new FrameAssembler(
      () => (this.session.authenticated ? limits.maxRequestBytes : limits.maxRequestBytesBeforeAuthentication),
      limits.budget,
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
    try {
      this.frames.push(chunk);
    } catch (error) {
      this.give(error);
      return;
    }
    this.working ??= this.work().finally(() => {
      this.working = null;
      if (!this.socket.destroyed) this.socket.resume();
    });
  }

  private async work(): Promise<void> {
    try {
      for (let frame = this.frames.next(); frame; frame = this.frames.next()) {
        this.socket.pause();
        if (!(await this.answer(frame))) return this.close();
        if (this.gone.signal.aborted) return;
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
    // A connection that is closed meanwhile aborts the wait; its responses are of no use to anyone.
    if (!flowing) await once(this.socket, 'drain', { signal: this.gone.signal }).catch(() => {});
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
