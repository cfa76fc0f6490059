import { isRetriable, RetriableError } from './errors';

const BRAND = Symbol.for('millrace.converter-not-ready');

/**
 * Thrown by a converter that has to wait before it can convert the record, e.g. for a schema. The runtime waits for
 * `ready`, then converts the record again. If `ready` rejects with a RetriableError, the runtime calls the converter
 * again after a delay, as often as needed, and the task reports why it waits; any other error is that of the record.
 *
 * Throw it rarely: the task does nothing else while it waits.
 */
export class ConverterNotReady extends RetriableError {
  readonly [BRAND] = true as const;

  /**
   * @param call of a plugin that `ready` waits for, such as `apply() of com.acme.Lookup`: the worker's watchdog watches
   *   it, and health and log name it. (Default: none; something else is waited for)
   */
  constructor(
    readonly ready: Promise<unknown>,
    readonly call: string | null = null,
  ) {
    super('The converter is not ready yet: convert the record again once it is.', { code: 'CONVERTER_NOT_READY' });
    // Whoever gets the error may have no use for it.
    ready.catch(() => undefined);
  }
}

/** What must be waited for before the record is converted again. Null: the error has another reason. */
export function converterReady(error: unknown): Promise<unknown> | null {
  if (!isRetriable(error) || (error as Record<symbol, unknown>)[BRAND] !== true) return null;
  return (error as ConverterNotReady).ready;
}

/** The call of a plugin that the error waits for. Null: it waits for something else, or does not wait. */
export function converterCall(error: unknown): string | null {
  return converterReady(error) === null ? null : ((error as ConverterNotReady).call ?? null);
}

/**
 * What `convert` returns, once the converters that it calls are ready. A promise only if it has to wait. It rejects
 * with what `convert` throws otherwise, or with the reason why a converter does not get ready.
 */
export function convertWhenReady<T>(convert: () => T): T | Promise<T> {
  try {
    return convert();
  } catch (error) {
    const ready = converterReady(error);
    if (ready === null) throw error;
    return ready.then(() => convertWhenReady(convert));
  }
}
