import type { Readable } from 'node:stream';

/** The parts of the process that commands use; tests replace them. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: { write(text: string): unknown };
  /** `columns` is the width of the terminal in characters. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls back for every SIGTERM or SIGINT. */
  onSignal(listener: (signal: string) => void): void;
  /** Calls back for uncaught errors, including those of plugins. */
  onCrash(listener: (error: unknown) => void): void;
}
