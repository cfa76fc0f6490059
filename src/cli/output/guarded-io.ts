/**
 * Streams of a command that no control character of an answer gets through, whichever code writes it. `printable` and
 * JSON's escapes come first, where a text is composed; this is for what they miss.
 */
import type { CliIo, CliOutput } from '../io';
import { writable } from './printable';

const streams = new WeakMap<CliOutput, CliOutput>();

export function guardedIo(io: CliIo): CliIo {
  const [stdout, stderr] = [guarded(io.stdout), guarded(io.stderr)];
  return {
    // A getter, as that of the process: reading it opens stdin.
    get stdin() {
      return io.stdin;
    },
    stdout,
    stderr,
    env: io.env,
    cwd: io.cwd,
    onSignal: (listener) => io.onSignal(listener),
    onCrash: (listener) => io.onCrash(listener),
  };
}

/** The stream itself, to move the cursor. Texts of others must be made `writable` before they are written to it. */
export function unguarded(output: CliOutput): CliOutput {
  return streams.get(output) ?? output;
}

function guarded(output: CliOutput): CliOutput {
  const shown = withWrite(output, (text) => output.write(writable(text)));
  streams.set(shown, output);
  return shown;
}

/** The stream but for `write`. */
export function withWrite(output: CliOutput, write: (text: string) => unknown): CliOutput {
  return new Proxy(output, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
