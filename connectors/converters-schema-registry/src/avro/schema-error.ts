import { DataError } from '@millrace/sdk';

/** Levels of schemas: what follows them is recursive. */
export const MAX_DEPTH = 200;

/** The schema cannot be used, however its values look. */
export function schemaError(message: string, place: Readonly<Record<string, string>> = {}): DataError {
  return new DataError(message, { code: 'AVRO_SCHEMA', place });
}
