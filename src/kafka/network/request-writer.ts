/**
 * Writes requests to a broker's socket in order. When the kernel takes only a part of a request, Node writes the rest
 * as soon as there is room, and in a process that was stopped and goes on that happens before any of our code runs. So
 * the last byte of a request with a `refusal` is held back until the kernel has the others and `refusal` has allowed
 * it: a broker ignores a request that does not end.
 */
import type { Socket } from 'node:net';
import type { KafkaError } from '../errors';

export interface OutgoingRequest {
  readonly header: Buffer;
  readonly body: Buffer;
  /** Asked before the last byte is written. */
  readonly refusal?: () => KafkaError | null;
  /** The kernel has the whole request, or the socket has failed. */
  written(cause: Error | null | undefined): void;
  /** It was written but for its last byte, so nothing else may be written to this socket. */
  refused(error: KafkaError): void;
}

export class RequestWriter {
  /** One request is written but for its last byte. */
  private holding = false;
  private readonly waiting: OutgoingRequest[] = [];
  private readonly onIdle: (() => void)[] = [];

  constructor(private readonly socket: Socket) {}

  write(request: OutgoingRequest): void {
    if (this.holding) this.waiting.push(request);
    else this.begin(request);
  }

  /** Resolves when no request is written in part any more, or when the socket has failed. */
  async idle(): Promise<void> {
    if (this.holding) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  /** Of a socket that has failed. */
  fail(cause: Error): void {
    this.holding = false;
    for (const request of this.waiting.splice(0)) request.written(cause);
    this.tellIdle();
  }

  private begin(request: OutgoingRequest): void {
    const { socket } = this;
    const { header, body } = request;
    socket.cork();
    socket.write(header);
    if (request.refusal === undefined) socket.write(body, (cause) => request.written(cause));
    else {
      this.holding = true;
      socket.write(body.subarray(0, -1), (cause) => {
        if (cause) request.written(cause);
        else this.end(request);
      });
    }
    socket.uncork();
  }

  /** The kernel has just taken the rest, so it takes this at once. */
  private end(request: OutgoingRequest): void {
    if (this.socket.destroyed) return;
    const error = request.refusal?.() ?? null;
    if (error !== null) {
      request.refused(error);
      return;
    }
    this.socket.write(request.body.subarray(-1), (cause) => request.written(cause));
    this.holding = false;
    this.beginWaiting();
  }

  private beginWaiting(): void {
    while (!this.holding) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.begin(next);
    }
    if (!this.holding) this.tellIdle();
  }

  private tellIdle(): void {
    for (const resolve of this.onIdle.splice(0)) resolve();
  }
}
