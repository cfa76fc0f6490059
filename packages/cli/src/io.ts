import type { Readable } from 'node:stream';

/** An output of the process. `columns` is the width of the terminal in characters; 0 or undefined if unknown. */
export interface CliOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** The height of the terminal in lines, likewise. */
  readonly rows?: number;
}

/** The parts of the process that commands use; tests replace them. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Answers of commands. Everything else goes to stderr. */
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls back for every SIGTERM or SIGINT. */
  onSignal(listener: (signal: string) => void): void;
  /** Calls back for uncaught errors, including those of plugins. */
  onCrash(listener: (error: unknown) => void): void;
}
