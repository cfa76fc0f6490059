/** Errors of the Protobuf converter. */
import { DataError } from '@millrace/sdk';

/** A schema that cannot be used. */
export function schemaError(message: string, cause?: unknown): DataError {
  return new DataError(message, { code: 'PROTOBUF_SCHEMA', ...(cause !== undefined && { cause }) });
}

/** Thrown where a value is converted. Who knows the fields around it adds them; at the end it becomes a DataError. */
export class Fault extends Error {
  /** Of fields, the innermost first. */
  readonly path: string[] = [];

  constructor(
    readonly reason: string,
    readonly code: 'PROTOBUF_DATA' | 'CONVERTER_MISMATCH',
  ) {
    super(reason);
  }
}

/** The bytes are not those of the schema, or a value has no equivalent on the other side. */
export function dataFault(reason: string): Fault {
  return new Fault(reason, 'PROTOBUF_DATA');
}

/** A Connect value does not match its schema. */
export function mismatch(reason: string): Fault {
  return new Fault(reason, 'CONVERTER_MISMATCH');
}

/** @param field the name of a field, or `[index]`, around the value that is at fault */
export function within(error: unknown, field: string): unknown {
  if (error instanceof Fault) error.path.push(field);
  return error;
}

/** What the record's conversion throws in place of the error. */
export function recordError(error: unknown, verb: 'read' | 'written'): unknown {
  if (!(error instanceof Fault)) return error;
  const path = error.path.reverse().join('.').replaceAll('.[', '[');
  const where = path === '' ? 'The record' : `Field ${path}`;
  return new DataError(`${where} cannot be ${verb} as Protobuf: ${error.reason}.`, {
    code: error.code,
    place: path === '' ? {} : { field: path },
  });
}
