/** What a verb may touch of the process, so that tests can stand in for it. */
export interface CliIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls back for every SIGTERM or SIGINT. */
  onSignal(listener: (signal: string) => void): void;
  /** Calls back for errors that nobody caught, a plug-in's included. */
  onCrash(listener: (error: unknown) => void): void;
}
