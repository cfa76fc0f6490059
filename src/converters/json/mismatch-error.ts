/** The error for a value that does not fit its schema: names the field path, the schema's type and the value's. */
import { checkValue, DataError, type Schema } from '@millrace/sdk';

export function mismatchError(schema: Schema | null, value: unknown, topic: string): DataError {
  const problem = checkValue(schema, value);
  const where = problem && problem.path !== '' ? `field "${problem.path}"` : 'the value';
  const reason = problem?.reason ?? 'it cannot be written';
  return new DataError(`Conversion error in ${where}: ${reason}.`, {
    code: 'CONVERTER_MISMATCH',
    place: { topic, ...(problem && problem.path !== '' ? { field: problem.path } : {}) },
  });
}
