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
import { readDirectly } from '../database/direct-socket';
import { SocketReads } from '../database/socket-reads';
import { FrameQueue, HEADER } from './frame-queue';
import { ReadPacer } from './read-pacer';
import { ReadSegments } from './read-segments';

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
  private readonly segments: ReadSegments;
  private readonly guard: MessageGuard;
  private readonly parserListeners: Listener[];
  private paused = false;
  private discarding = false;

  /**
   * Install it while no query runs, so that pg's parser holds no partial message. `code` is the type of message that is
   * intercepted, 0 for none; change it while no query runs. `tag` marks messages queued from now on. `reuses`: the
   * caller calls `released`.
   */
  constructor(
    client: Client,
    public code: number,
    private readonly limits: TapLimits,
    public tag: Tag,
    reuses = false,
  ) {
    this.segments = new ReadSegments(reuses);
    const { stream, guard } = connectionOf(client);
    this.socket = stream;
    this.reads = new SocketReads(stream);
    this.guard = guard;
    this.parserListeners = this.socket.listeners('data') as Listener[];
    this.socket.removeAllListeners('data');
    this.socket.on('data', (chunk: Buffer) => this.guarded(() => this.copied(chunk), chunk.length));
    const { segments } = this;
    readDirectly(stream, {
      room: () => segments.room,
      received: (size) => this.guarded(() => this.received(size), size),
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

  /** Nothing refers to a message any more that is no longer in the queue: memory may be used again. */
  released(): void {
    this.segments.doneBefore(this.queue.oldest);
  }

  /** Discards tapped messages from now on, so that the connection can end. */
  discard(): void {
    this.discarding = true;
    this.queue.clear();
    this.paused = false;
    this.socket.resume();
  }

  private guarded(read: () => void, size: number): void {
    if (this.socket.destroyed) return;
    try {
      read();
      if (this.queue.messages > 0) {
        this.onQueued?.();
        this.pauseWhenFull();
      }
      this.pace(size);
    } catch (error) {
      // Thrown further, it would end the thread.
      this.socket.destroy(isConnectError(error) ? error : this.guard.error('a message that cannot be read', error));
    }
  }

  /** Of a socket that does not read directly, for example of TLS. */
  private copied(chunk: Buffer): void {
    const { segments } = this;
    for (let at = 0; at < chunk.length;) {
      const size = chunk.copy(segments.room, 0, at);
      at += size;
      this.received(size);
    }
  }

  private received(size: number): void {
    const { segments } = this;
    segments.end += size;
    segments.begin = this.frames(segments.bytes, segments.begin, segments.end);
    segments.reserve(this.incompleteSize());
  }

  /** Size of the message that is received next, as far as it is known. */
  private incompleteSize(): number {
    const { bytes, begin, end } = this.segments;
    if (end - begin < HEADER) return HEADER;
    const length = bytes.readUInt32BE(begin + 1);
    this.guard.checkLength(bytes[begin] as number, length);
    return 1 + length;
  }

  /** Queues and forwards the complete messages; returns where the first incomplete one begins. */
  private frames(chunk: Buffer, from: number, end: number): number {
    const { code, onMessage } = this;
    const received = chunk.subarray(0, end);
    let at = from;
    let runStart = from;
    let count = 0;
    while (at + HEADER <= end) {
      const next = at + 1 + chunk.readUInt32BE(at + 1);
      if (next > end) break;
      if (chunk[at] === code) {
        count++;
        if (onMessage !== null) onMessage(received, at + HEADER);
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
