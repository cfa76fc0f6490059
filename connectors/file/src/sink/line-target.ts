/** Destination of lines. */
export interface LineTarget {
  readonly name: string;
  /**
   * Whether a line of `next` bytes, after `pending` unwritten bytes, must go to the next file. If so, write the pending
   * bytes, then call `rotate`.
   */
  isFull(pending: number, next: number): boolean;
  /** Completes the file. The next write opens another one. */
  rotate(): Promise<void>;
  /**
   * Resolves when the operating system has all bytes. After a rejection because of a full disk, call it again with the
   * same bytes.
   */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when all written bytes are as durable as the settings require. */
  flush(): Promise<void>;
  /**
   * Completes the file if it has reached its maximum age.
   * @param now of `monotonicNow()`
   */
  tick(now: number): Promise<void>;
  /**
   * @param complete true: flush and complete the file first. False, after a failure that may have left an incomplete
   *   line: do not rename the file
   */
  close(complete: boolean): Promise<void>;
}

const noop = (): Promise<void> => Promise.resolve();

/** The destination when `file` is not set, as in Java. */
export function standardOutput(): LineTarget {
  return {
    name: 'standard output',
    isFull: () => false,
    rotate: noop,
    write: (bytes) =>
      new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
    flush: noop,
    tick: noop,
    close: noop,
  };
}
