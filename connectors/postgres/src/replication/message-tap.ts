/**
 * Intercepts one type of protocol message on the socket of a pg connection before pg parses it. For each row or change
 * message pg would create an object, a buffer view and two events, which costs more than decoding them (measured: a
 * third of all CPU time). All other messages still go to pg's parser, so queries, errors and the end of the connection
 * work unchanged.
 */
import type { Socket } from 'node:net';
import { isConnectError, monotonicNow, startTimer } from '@millrace/sdk';
import type { Client } from 'pg';
import type { MessageGuard } from '../database/message-guard';
import { connectionOf } from '../database/pg-internals';
import { SocketReads } from '../database/socket-reads';
import { FrameQueue, HEADER } from './frame-queue';
import { ReadPacer } from './read-pacer';

export const COPY_DATA = 0x64; // d
export const DATA_ROW = 0x44; // D

export interface TapLimits {
  readonly maxMessages: number;
  readonly maxBytes: number;
}

type Listener = (chunk: Buffer) => void;

export class MessageTap<Tag> {
  readonly queue = new FrameQueue<Tag>();
  /** Called after something was queued. */
  onQueued: (() => void) | null = null;
  /** Called with each tapped message when it arrives. */
  onMessage: ((buffer: Buffer, bodyStart: number) => void) | null = null;

  private readonly socket: Socket;
  private readonly reads: SocketReads;
  private readonly pacer = new ReadPacer();
  private readonly guard: MessageGuard;
  private readonly parserListeners: Listener[];
  /** An incomplete message, and the number of bytes received of it. */
  private partial: Buffer | null = null;
  private filled = 0;
  /** Received bytes that do not make up a header yet. */
  private rest: Buffer | null = null;
  private paused = false;
  private discarding = false;

  /**
   * Install it while no query runs, so that pg's parser holds no partial message. `code` is the type of message that is
   * intercepted, 0 for none; change it while no query runs. `tag` marks messages queued from now on.
   */
  constructor(
    client: Client,
    public code: number,
    private readonly limits: TapLimits,
    public tag: Tag,
  ) {
    const { stream, guard } = connectionOf(client);
    this.socket = stream;
    this.reads = new SocketReads(stream);
    this.guard = guard;
    this.parserListeners = this.socket.listeners('data') as Listener[];
    this.socket.removeAllListeners('data');
    this.socket.on('data', (chunk: Buffer) => {
      if (this.socket.destroyed) return;
      try {
        this.onChunk(chunk);
        this.pace(chunk.length);
      } catch (error) {
        // Thrown further, it would end the thread.
        this.socket.destroy(isConnectError(error) ? error : guard.error('a message that cannot be read', error));
      }
    });
  }

  /** Call after consuming messages: resumes reading when enough of the queue is free. */
  consumed(): void {
    if (!this.paused) return;
    const { queue, limits } = this;
    if (queue.bytes > limits.maxBytes / 2 || queue.messages > limits.maxMessages / 2) return;
    this.paused = false;
    this.socket.resume();
  }

  /** Discards tapped messages from now on, so that the connection can end. */
  discard(): void {
    this.discarding = true;
    this.queue.clear();
    this.paused = false;
    this.socket.resume();
  }

  private onChunk(received: Buffer): void {
    let chunk = received;
    if (this.rest !== null) {
      chunk = Buffer.concat([this.rest, chunk]);
      this.rest = null;
    }
    let at = 0;
    if (this.partial !== null) {
      at = Math.min(chunk.length, this.partial.length - this.filled);
      chunk.copy(this.partial, this.filled, 0, at);
      this.filled += at;
      if (this.filled < this.partial.length) return;
      const message = this.partial;
      this.partial = null;
      this.frames(message, 0);
    }
    const end = this.frames(chunk, at);
    this.keep(chunk, end);
    if (this.queue.messages > 0) {
      this.onQueued?.();
      this.pauseWhenFull();
    }
  }

  /** Queues and forwards the complete messages; returns where the first incomplete one begins. */
  private frames(chunk: Buffer, from: number): number {
    const { code, onMessage } = this;
    let at = from;
    let runStart = from;
    let count = 0;
    while (at + HEADER <= chunk.length) {
      const next = at + 1 + chunk.readUInt32BE(at + 1);
      if (next > chunk.length) break;
      if (chunk[at] === code) {
        count++;
        if (onMessage !== null) onMessage(chunk, at + HEADER);
      } else {
        this.flush(chunk, runStart, at, count);
        count = 0;
        runStart = next;
        const message = chunk.subarray(at, next);
        for (const listener of this.parserListeners) listener(message);
      }
      at = next;
    }
    this.flush(chunk, runStart, at, count);
    return at;
  }

  private flush(chunk: Buffer, start: number, end: number, count: number): void {
    if (count > 0 && !this.discarding) this.queue.push(chunk, start, end, count, this.tag);
  }

  private keep(chunk: Buffer, from: number): void {
    const left = chunk.length - from;
    if (left === 0) return;
    if (left < HEADER) {
      this.rest = Buffer.from(chunk.subarray(from));
      return;
    }
    const length = chunk.readUInt32BE(from + 1);
    this.guard.checkLength(chunk[from] as number, length);
    this.partial = Buffer.allocUnsafeSlow(1 + length);
    chunk.copy(this.partial, 0, from);
    this.filled = left;
  }

  private pace(size: number): void {
    if (!this.pacer.holds(size, monotonicNow()) || this.paused || this.discarding) return;
    if (this.reads.hold()) startTimer(() => this.reads.release(), 1);
  }

  private pauseWhenFull(): void {
    const { queue, limits } = this;
    if (this.paused || this.discarding) return;
    if (queue.bytes < limits.maxBytes && queue.messages < limits.maxMessages) return;
    this.paused = true;
    this.socket.pause();
  }
}
