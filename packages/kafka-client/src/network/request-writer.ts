/**
 * Writes requests to a broker's socket in order. When the kernel accepts only a part of a request, Node writes the rest
 * when the socket drains; in a process that was suspended this happens before any of our code runs. So the last byte of
 * a request with a `refusal` is written only when the kernel has the rest and `refusal` returns null: a broker ignores
 * an incomplete request.
 */
import type { Socket } from 'node:net';
import type { KafkaError } from '../errors';

export interface OutgoingRequest {
  readonly header: Buffer;
  readonly body: Buffer;
  /** Called before the last byte is written; an error prevents it. */
  readonly refusal?: () => KafkaError | null;
  /** The kernel has the whole request, or the socket failed. */
  written(cause: Error | null | undefined): void;
  /** All but the last byte was written, so nothing else may be written to this socket. */
  refused(error: KafkaError): void;
}

export class RequestWriter {
  /** A request is written except for its last byte. */
  private incomplete = false;
  private readonly waiting: OutgoingRequest[] = [];
  private readonly onIdle: (() => void)[] = [];

  constructor(private readonly socket: Socket) {}

  write(request: OutgoingRequest): void {
    if (this.incomplete) this.waiting.push(request);
    else this.writeHead(request);
  }

  /** Resolves when no request is partly written, or when the socket failed. */
  async idle(): Promise<void> {
    if (this.incomplete) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  /** The socket failed with `cause`. */
  fail(cause: Error): void {
    this.incomplete = false;
    for (const request of this.waiting.splice(0)) request.written(cause);
    this.resolveIdle();
  }

  private writeHead(request: OutgoingRequest): void {
    const { socket } = this;
    const { header, body } = request;
    socket.cork();
    socket.write(header);
    if (request.refusal === undefined) socket.write(body, (cause) => request.written(cause));
    else {
      this.incomplete = true;
      socket.write(body.subarray(0, -1), (cause) => {
        if (cause) request.written(cause);
        else this.writeLastByte(request);
      });
    }
    socket.uncork();
  }

  /** The kernel has just accepted the rest, so it accepts this byte at once. */
  private writeLastByte(request: OutgoingRequest): void {
    if (this.socket.destroyed) return;
    const error = request.refusal?.() ?? null;
    if (error !== null) {
      request.refused(error);
      return;
    }
    this.socket.write(request.body.subarray(-1), (cause) => request.written(cause));
    this.incomplete = false;
    this.writeWaiting();
  }

  private writeWaiting(): void {
    while (!this.incomplete) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.writeHead(next);
    }
    if (!this.incomplete) this.resolveIdle();
  }

  private resolveIdle(): void {
    for (const resolve of this.onIdle.splice(0)) resolve();
  }
}
