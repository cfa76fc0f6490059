/** Errors of this format. */
import { DataError } from '@millrace/sdk';

/** A registered schema, or one of Connect, that is of no use. `reason` continues a sentence, without its full stop. */
export function unusable(reason: string, place: Readonly<Record<string, string | number>> = {}): DataError {
  return new DataError(`The JSON Schema cannot be used: ${reason}.`, { code: 'JSON_SCHEMA_INVALID', place });
}

/** Found while a value is converted; the path is completed on the way out. Never leaves this folder. */
export class Misfit extends Error {
  /** From the inside out, e.g. `.price`, `[2]`. */
  readonly path: string[] = [];

  constructor(reason: string) {
    super(reason);
  }

  /** E.g. `after.items[2].price`; empty for the value itself. */
  get field(): string {
    const path = [...this.path].reverse().join('');
    return path.startsWith('.') ? path.slice(1) : path;
  }
}

/** @param reason without a value, which may be a secret */
export function misfit(reason: string): never {
  throw new Misfit(reason);
}

/** A record that does not fit the schema that it names. */
export function unreadable(cause: Misfit, id: number): DataError {
  const { field, message } = cause;
  const where = field === '' ? 'its value' : `its field "${field}"`;
  return new DataError(`A record of JSON Schema ${id} cannot be read: ${where} ${message}.`, {
    code: 'JSON_SCHEMA_DATA',
    place: { schemaId: id, ...(field !== '' && { field }) },
  });
}

/** A value that does not fit the schema that it comes with. */
export function unwritable(cause: Misfit): DataError {
  const { field, message } = cause;
  const where = field === '' ? 'The value' : `The field "${field}"`;
  return new DataError(`${where} ${message}, so it cannot be written as JSON of its schema.`, {
    code: 'CONVERTER_MISMATCH',
    place: field === '' ? {} : { field },
  });
}

/** A value that is written, but that its schema does not accept. */
export function invalid(cause: Misfit): DataError {
  const { field, message } = cause;
  const where = field === '' ? 'The value' : `The field "${field}"`;
  return new DataError(`${where} ${message}, and json.fail.invalid.schema is true.`, {
    code: 'JSON_SCHEMA_DATA',
    place: field === '' ? {} : { field },
  });
}
