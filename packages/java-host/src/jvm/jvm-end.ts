/** Why a JVM has ended, as a failure of what ran in it. Pure. */
import type { JvmFailure } from './jvm-errors';

/** Of `-XX:+ExitOnOutOfMemoryError`. */
const OUT_OF_MEMORY_EXIT = 3;
const OUT_OF_MEMORY = /\bjava\.lang\.OutOfMemoryError\b/;

/** Why the supervisor ended it. */
export type EndReason = 'idle' | 'silent' | 'closed';

export interface JvmEnd {
  readonly folder: string;
  /** It had not answered yet. */
  readonly isStarting: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Null: the supervisor did not end it. */
  readonly reason: EndReason | null;
  /** What it wrote last; empty: nothing. */
  readonly lines: string;
}

export function endFailure({ folder, isStarting, exitCode, signal, reason, lines }: JvmEnd): JvmFailure {
  const how = signal === null ? `with exit code ${exitCode}` : `by the signal ${signal}`;
  const detail = lines === '' ? null : `The last lines of the JVM:\n${lines}`;
  const jvm = `The JVM of ${folder}`;
  const fault = { detail, kind: 'restart' } as const;
  switch (reason) {
    case 'closed':
      return { code: 'JVM_CLOSED', message: `${jvm} has ended because the worker stops.`, ...fault };
    case 'silent':
      return { code: 'JVM_SILENT', message: `${jvm} did not answer any more, and was killed.`, ...fault };
    case 'idle':
      return { code: 'JVM_ENDED', message: `${jvm} has ended because nothing ran in it any more.`, ...fault };
  }
  if (isOutOfMemory(exitCode, lines)) {
    const message = `${jvm} ran out of memory: raise jvm.heap.mb of the connector, or -Xmx in jvm.options of the folder.`;
    return { code: 'JVM_OUT_OF_MEMORY', message, ...fault };
  }
  if (isStarting) return { code: 'JVM_START_FAILED', message: `${jvm} ended ${how} while it started.`, ...fault };
  const killed = signal === 'SIGKILL' ? ': the machine may be out of memory, or somebody killed it' : '';
  return { code: 'JVM_ENDED', message: `${jvm} ended ${how}${killed}.`, ...fault };
}

/** A plugin may log such an error and go on. */
function isOutOfMemory(exitCode: number | null, lines: string): boolean {
  return exitCode === OUT_OF_MEMORY_EXIT && OUT_OF_MEMORY.test(lines);
}
