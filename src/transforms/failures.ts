/**
 * Errors of transformations, with Java's texts and classes: both appear in dead letters and in a failed task's trace.
 */
import { ConfigError, DataError } from '@millrace/sdk';

/** A record that does not have the expected structure. */
export function dataError(message: string, cause?: unknown): DataError {
  return new DataError(message, { code: 'TRANSFORM_DATA', cause });
}

/** Invalid or contradictory settings. */
export function configError(message: string): ConfigError {
  return new ConfigError(message, { code: 'TRANSFORM_CONFIG' });
}

/** As `dataError`, where Java throws another class than DataException. */
export class ShapeError extends DataError {
  constructor(
    override readonly javaClass: string,
    message: string,
  ) {
    super(message, { code: 'TRANSFORM_DATA' });
  }
}
