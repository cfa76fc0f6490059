import { DataError } from '@millrace/sdk';

/** The schema cannot be used, however its values look. */
export function schemaError(message: string, place: Readonly<Record<string, string>> = {}): DataError {
  return new DataError(message, { code: 'AVRO_SCHEMA', place });
}
