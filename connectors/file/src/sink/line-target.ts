/** Where lines go. */
export interface LineTarget {
  readonly name: string;
  /**
   * The lines of `next` bytes, which follow `pending` ones that are not written yet, belong into the next file: write,
   * then `rotate`.
   */
  isFull(pending: number, next: number): boolean;
  /** Completes the file; the next write begins another. */
  rotate(): Promise<void>;
  /**
   * All bytes are with the operating system when it resolves. After a rejection for want of room: once more with the
   * same bytes.
   */
  write(bytes: Buffer): Promise<void>;
  /** Everything written is as durable as the settings ask for when it resolves. */
  flush(): Promise<void>;
  /** Completes what is complete when its time is over. */
  tick(now: number): Promise<void>;
  /**
   * @param complete true: everything written is flushed first; false: after a failure, which may have torn the last
   *   line: the file is not renamed
   */
  close(complete: boolean): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/** Java's behaviour without `file`. */
export function standardOutput(): LineTarget {
  return {
    name: 'standard output',
    isFull: () => false,
    rotate: nothing,
    write: (bytes) =>
      new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
    flush: nothing,
    tick: nothing,
    close: nothing,
  };
}
