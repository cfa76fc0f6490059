/**
 * What transformations throw: Java's texts and classes, since both stand in dead letters and in a failed task's trace.
 */
import { ConfigError, DataError } from '@millrace/sdk';

/** A record of the wrong shape. */
export function dataError(message: string, cause?: unknown): DataError {
  return new DataError(message, { code: 'TRANSFORM_DATA', cause });
}

/** Settings that contradict each other, or one that is wrong. */
export function configError(message: string): ConfigError {
  return new ConfigError(message, { code: 'TRANSFORM_CONFIG' });
}

/** A record of the wrong shape for which Java has another class than DataException. */
export class ShapeError extends DataError {
  constructor(
    override readonly javaClass: string,
    message: string,
  ) {
    super(message, { code: 'TRANSFORM_DATA' });
  }
}
