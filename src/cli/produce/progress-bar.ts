/** The progress bar of `millrace produce`. */

export interface Progress {
  readonly name: string;
  /** Bytes read and acknowledged. */
  readonly done: number;
  /** Null if unknown, e.g. for standard input. */
  readonly total: number | null;
  readonly messages: number;
}

const BAR_WIDTH = 30;

/** One line without line ending. */
export function progressBar({ name, done, total, messages }: Progress): string {
  const count = `${messages} message${messages === 1 ? '' : 's'}`;
  if (total === null) return `${name} ${count}`;
  const share = total === 0 ? 1 : Math.min(Math.max(done / total, 0), 1);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
  return `${name} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} % ${count}`;
}
