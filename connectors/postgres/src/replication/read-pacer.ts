/**
 * Decides when a fast sender's bytes should collect in the socket. The server sends each change on its own, and a
 * reader that waits in the event loop is woken for each: half of the CPU time of a backlog goes into reads of a few
 * rows. Pure.
 */

/** Bytes per millisecond above which they collect, about 30,000 small rows per second. */
const FAST = 8 * 1024;
/** A read of so many bytes has cost its system call. */
const LARGE_READ = 32 * 1024;
/** Time over which the rate is measured, in milliseconds. */
const WINDOW_MS = 1;

export class ReadPacer {
  private since = 0;
  private bytes = 0;

  /** @returns whether to read nothing for a millisecond after a read of `size` bytes at `now` milliseconds */
  holds(size: number, now: number): boolean {
    this.bytes += size;
    const elapsed = now - this.since;
    if (elapsed < WINDOW_MS) return false;
    const rate = this.bytes / elapsed;
    this.since = now;
    this.bytes = 0;
    return rate > FAST && size < LARGE_READ;
  }
}
