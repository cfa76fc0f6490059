/** Java's exceptions as errors of the SDK, and back. */
import { ConnectError, isConfigError, isConnectError, isErrorLike, isRetriable, messageOf } from '@millrace/sdk';
import type { HostMap, HostValue } from './host-value';

const MAX_CAUSES = 10;
/** Characters. */
const MAX_TEXT = 32 * 1024;

const RETRIABLE = 'org.apache.kafka.connect.errors.RetriableException';
const CONNECT = 'org.apache.kafka.connect.errors.ConnectException';

/**
 * An exception that Java code has thrown: with Java's class, message and stack, so that traces and dead letters show
 * what a Java worker shows.
 */
export class JavaError extends ConnectError {
  override readonly retriable: boolean;
  override readonly javaClass: string;

  /**
   * @param kind see PROTOCOL.md
   * @param frames lines of Java's stack trace, without those of its causes
   * @param code of an error of the host itself
   */
  constructor(
    javaClass: string,
    message: string | null,
    readonly kind: string,
    frames: readonly string[],
    cause: JavaError | null,
    code?: string,
  ) {
    // As `Throwable.toString` of an exception without a message.
    super(message ?? javaClass, {
      // Plugins throw ConnectException for whatever happens to them, also for what passes.
      restartable: (kind === 'connect' || kind === 'other') && (cause === null || cause.retriable || cause.restartable),
      ...(cause !== null && { cause }),
      ...(code !== undefined && { code }),
    });
    this.name = 'JavaError';
    this.javaClass = javaClass;
    this.retriable = kind === 'retriable';
    this.stack = [message === null ? javaClass : `${javaClass}: ${message}`, ...frames].join('\n');
  }
}

/** Of an error of the protocol; whatever else arrives becomes one as well. */
export function javaError(value: HostValue): JavaError {
  return (
    errorAt(value, 1) ?? new JavaError(CONNECT, 'The Java host reported an error without a class.', 'other', [], null)
  );
}

/** @param traces of the outer error, one for it and each of its causes; those of a cause are empty otherwise */
function errorAt(value: HostValue | undefined, depth: number, traces: readonly string[] = []): JavaError | null {
  if (typeof value !== 'object' || value === null || depth > MAX_CAUSES) return null;
  const { class: name, message, kind, trace, cause, code } = value as HostMap;
  if (typeof name !== 'string') return null;
  const text = typeof message === 'string' ? message : null;
  const [own = '', ...others] = typeof trace === 'string' && trace !== '' ? tracesOf(trace, text ?? '') : traces;
  return new JavaError(
    name,
    text,
    typeof kind === 'string' ? kind : 'other',
    own.split('\n').filter((line) => /^\t(?:at |\.{3} \d)/.test(line)),
    errorAt(cause, depth + 1, others),
    typeof code === 'string' ? code : undefined,
  );
}

/** The lines of the error, and those of each cause. Its message may have lines that look like either. */
function tracesOf(trace: string, message: string): string[] {
  const start = Math.max(0, trace.indexOf(message)) + message.length;
  return trace
    .slice(start, start + MAX_TEXT)
    .replaceAll('\r\n', '\n')
    .split('\nCaused by: ');
}

/** For an answer to the host. */
export function errorValue(error: unknown): HostMap {
  return errorValueAt(error, 1);
}

function errorValueAt(error: unknown, depth: number): HostMap {
  const cause = isErrorLike(error) ? (error as { cause?: unknown }).cause : undefined;
  return {
    class: isConnectError(error) ? error.javaClass : isRetriable(error) ? RETRIABLE : CONNECT,
    message: messageOf(error).slice(0, MAX_TEXT),
    kind: kindOf(error),
    trace: isErrorLike(error) && typeof error.stack === 'string' ? error.stack.slice(0, MAX_TEXT) : '',
    cause: cause === undefined || cause === null || depth >= MAX_CAUSES ? null : errorValueAt(cause, depth + 1),
  };
}

function kindOf(error: unknown): string {
  if (error instanceof JavaError) return error.kind;
  if (isRetriable(error)) return 'retriable';
  if (isConfigError(error)) return 'config';
  if (!isConnectError(error)) return 'other';
  return error.javaClass === 'org.apache.kafka.connect.errors.DataException' ? 'data' : 'connect';
}
