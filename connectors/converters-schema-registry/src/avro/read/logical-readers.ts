/** Readers of Connect's logical types. */
import { DAY_MS, LogicalName, type Schema, unscaledOf } from '@millrace/sdk';
import { scaleOf } from '../from-connect/logical-props';
import { schemaError } from '../schema-error';
import type { AvroSchema } from '../schema/avro-schema';
import { unreadable, type ByteInput } from './byte-input';

export type ReadValue = (input: ByteInput) => unknown;

/** Larger ones would take seconds to become a text. */
export const MOST_DECIMAL_BYTES = 16 * 1024;

/** Null: the schema has no logical type. */
export function logicalReader(connect: Schema, avro: AvroSchema): ReadValue | null {
  switch (connect.name) {
    case LogicalName.DECIMAL:
      return decimalReader(connect, avro);
    case LogicalName.DATE:
      return connect.type === 'INT32' ? readDate : misplaced(connect);
    case LogicalName.TIME:
      return connect.type === 'INT32' ? readTime : misplaced(connect);
    case LogicalName.TIMESTAMP:
      return connect.type === 'INT64' ? readTimestamp : misplaced(connect);
    default:
      return null;
  }
}

function misplaced(connect: Schema): never {
  throw schemaError(`The Avro schema has the logical type ${connect.name} where Connect has the type ${connect.type}.`);
}

function decimalReader(connect: Schema, avro: AvroSchema): ReadValue {
  const scale = connect.type === 'BYTES' ? scaleOf(connect) : misplaced(connect);
  const size = avro.type === 'fixed' ? avro.size : -1;
  return (input) => {
    const length = size < 0 ? input.length() : size;
    if (length > MOST_DECIMAL_BYTES) unreadable(`it has a decimal of more than ${MOST_DECIMAL_BYTES} bytes`, input.at);
    if (size === 0) input.countEmpty();
    const start = input.skip(length);
    return { unscaled: unscaledOf(input.bytes, start, start + length), scale };
  };
}

function readDate(input: ByteInput): unknown {
  const days = input.int();
  const date = new Date(days * DAY_MS);
  return Number.isNaN(date.getTime()) ? days : date;
}

function readTime(input: ByteInput): unknown {
  const ms = input.int();
  if (ms < 0 || ms > DAY_MS) unreadable('it has a time of day that is not within a day', input.at);
  return new Date(ms);
}

function readTimestamp(input: ByteInput): unknown {
  const ms = input.long();
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? ms : date;
}
