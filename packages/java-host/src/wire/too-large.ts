import { DataError } from '@millrace/sdk';

/**
 * Bytes of a record, the same in both directions and in every kind of message: the rest of the largest frame is for
 * what goes with it.
 */
export const MAX_RECORD = 240 * 1024 * 1024;

/** It would not fit in a message. Never the end of a session: nothing of it has been sent. */
export class TooLarge extends DataError {
  /**
   * @param what begins a sentence
   * @param bytes how many it needs, or more
   */
  constructor(what: string, bytes: number, most: number) {
    super(`${what} needs at least ${bytes} bytes on its way to the JVM, which takes ${most} at once.`, {
      code: 'JAVA_TOO_LARGE',
    });
  }
}
