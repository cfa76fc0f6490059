/** The messages that `StreamReader` decodes, in order. */
import type { RelationMessage } from '../events/relation-message';

/** `wait`: await `proceed`, then call `peek` again. */
export type Peeked = 'message' | 'none' | 'wait';

export interface MessageSource {
  /**
   * The message that `peek` found: body between `start` and `end` of `buffer`. Never keep a reference to the buffer.
   */
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  peek(): Peeked;
  /** Removes the message that `peek` found. */
  shift(): void;
  /** File work. Throws ConnectError. */
  proceed(): Promise<void>;
  /**
   * Announcements that have arrived, that of `peek` first. Null if it was kept until now, so that others overtook it.
   */
  announcements(): readonly RelationMessage[] | null;
}
