/** The lines of a file that a sink appends to, and how long none of those came that must always come. */
import { closeSync, openSync, readSync } from 'node:fs';

export class FollowedFile {
  /** How often each line is there. */
  readonly lines = new Map<string, number>();
  /** When a line of the awaited topic came last, by `performance.now()`. */
  lastAt = performance.now();
  private at = 0;
  private rest = '';

  constructor(
    private readonly path: string,
    private readonly awaited: string,
  ) {}

  /** Reads what was appended since the last call. */
  read(): void {
    let file: number;
    try {
      file = openSync(this.path, 'r');
    } catch {
      return;
    }
    const buffer = Buffer.alloc(1 << 20);
    try {
      for (let bytes = 1; bytes > 0;) {
        bytes = readSync(file, buffer, 0, buffer.length, this.at);
        this.at += bytes;
        this.add(buffer.toString('latin1', 0, bytes));
      }
    } finally {
      closeSync(file);
    }
  }

  private add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!this.lines.has(line) && line.startsWith(`${this.awaited} `)) this.lastAt = performance.now();
      this.lines.set(line, (this.lines.get(line) ?? 0) + 1);
    }
  }
}
