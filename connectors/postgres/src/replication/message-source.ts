/** The messages that `StreamReader` decodes, in order. */
import type { FrameQueue } from './frame-queue';

/** `wait`: await `proceed`, then call `peek` again. */
export type Peeked = 'message' | 'none' | 'wait';

/** Messages that have arrived. */
export interface ArrivedMessages {
  /** Visits them in order, starting with that of `peek`, without removing any. `start` is where its body begins. */
  forEach(visit: (buffer: Buffer, start: number) => void): void;
}

export interface MessageSource extends ArrivedMessages {
  /**
   * The message that `peek` found: body between `start` and `end` of `buffer`. Never keep a reference to the buffer.
   */
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  /** There may be a message. */
  readonly hasMore: boolean;
  peek(): Peeked;
  /** Removes the message that `peek` found. */
  shift(): void;
  /** File work. Throws ConnectError. */
  proceed(): Promise<void>;
  /** Removes everything. */
  close(): Promise<void>;
}

/** Messages as the server sent them. */
export class QueuedMessages implements MessageSource {
  constructor(private readonly queue: FrameQueue<unknown>) {}

  get buffer(): Buffer {
    return this.queue.buffer;
  }
  get start(): number {
    return this.queue.start;
  }
  get end(): number {
    return this.queue.end;
  }
  get hasMore(): boolean {
    return this.queue.messages > 0;
  }

  peek(): Peeked {
    return this.queue.peek() ? 'message' : 'none';
  }

  shift(): void {
    this.queue.shift();
  }

  forEach(visit: (buffer: Buffer, start: number) => void): void {
    this.queue.forEach(visit);
  }

  async proceed(): Promise<void> {
    // Nothing to wait for.
  }

  async close(): Promise<void> {
    this.queue.clear();
  }
}
