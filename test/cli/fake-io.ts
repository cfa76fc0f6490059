import { Readable } from 'node:stream';
import { COMMANDS } from '../../src/cli/commands';
import { parseCommandLine } from '../../packages/cli/src/program/parse-command-line';
import type { Invocation } from '../../packages/cli/src/program/command-spec';
import type { CliIo } from '../../packages/cli/src/io';

/** Collects what a command writes. */
export class FakeIo implements CliIo {
  out = '';
  err = '';
  signal: (name: string) => void = () => undefined;
  crash: (error: unknown) => void = () => undefined;
  readonly stdout = { write: (text: string) => (this.out += text) };
  readonly stderr = { write: (text: string) => (this.err += text) };
  constructor(
    readonly cwd: string,
    readonly env: Record<string, string> = {},
    readonly stdin: CliIo['stdin'] = Readable.from([]),
  ) {}
  onSignal(listener: (signal: string) => void): void {
    this.signal = listener;
  }
  onCrash(listener: (error: unknown) => void): void {
    this.crash = listener;
  }
}

/** What the command's code is called with. @throws Error with what was written to stderr, for a wrong command line */
export function invocationOf(args: readonly string[], io: FakeIo): Invocation {
  const parsed = parseCommandLine(args, io, COMMANDS);
  if (typeof parsed === 'number') throw new Error(`exit code ${parsed}: ${io.err}`);
  return parsed.invocation;
}
