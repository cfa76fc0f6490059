import type { Readable } from 'node:stream';

/** What a verb may touch of the process, so that tests can stand in for it. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: { write(text: string): unknown };
  /** `columns` is a terminal's width in characters. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls back for every SIGTERM or SIGINT. */
  onSignal(listener: (signal: string) => void): void;
  /** Calls back for errors that nobody caught, a plug-in's included. */
  onCrash(listener: (error: unknown) => void): void;
}
