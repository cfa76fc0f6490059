/** Each schema becomes a function that reads its values. */
import { DAY_MS, decimalScale, isInherited, LogicalName, type Schema, setMember, unscaledOf } from '@millrace/sdk';
import type { ByteReader } from '../wire/byte-reader';
import { ProtocolError } from '../wire/protocol-error';
import { readValue } from '../wire/values';
import { LOGICAL_TYPES } from './schema-types';

export type ReadValue = (input: ByteReader) => unknown;

/** What a `Date` can hold. Milliseconds. */
const MOST_MS = 8.64e15;

/** @param of the readers of the schemas in this one */
export function valueReader(schema: Schema, of: (part: Schema) => ReadValue): ReadValue {
  const read = presentReader(schema, of);
  return (input) => (isPresent(input) ? read(input) : null);
}

function isPresent(input: ByteReader): boolean {
  const present = input.u8();
  if (present > 1) throw new ProtocolError(`${present} stands where a value says whether it is null`);
  return present === 1;
}

/** Without a schema. */
function free(input: ByteReader): unknown {
  return isPresent(input) ? readValue(input) : null;
}

function presentReader(schema: Schema, of: (part: Schema) => ReadValue): ReadValue {
  if (schema.name !== null && schema.type === LOGICAL_TYPES[schema.name]) {
    switch (schema.name) {
      case LogicalName.DECIMAL:
        return decimal(decimalScale(schema));
      case LogicalName.DATE:
        return date;
      case LogicalName.TIME:
        return (input) => new Date(input.i32());
      default:
        return timestamp;
    }
  }
  const part = (one: Schema | null): ReadValue => (one === null ? free : of(one));
  switch (schema.type) {
    case 'INT8':
      return (input) => (input.u8() << 24) >> 24;
    case 'INT16':
      return (input) => input.i16();
    case 'INT32':
      return (input) => input.i32();
    case 'INT64':
      return (input) => input.i64();
    case 'FLOAT32':
      return (input) => input.f32();
    case 'FLOAT64':
      return (input) => input.f64();
    case 'BOOLEAN':
      return (input) => input.u8() !== 0;
    case 'STRING':
      return (input) => input.string();
    case 'BYTES':
      return (input) => input.bytes();
    case 'ARRAY':
      return array(part(schema.valueSchema));
    case 'MAP':
      return map(part(schema.keySchema), part(schema.valueSchema));
    case 'STRUCT':
      return struct(schema, of);
  }
}

function decimal(scale: number): ReadValue {
  return (input) => {
    const bytes = input.bytes();
    return { unscaled: unscaledOf(bytes, 0, bytes.length), scale };
  };
}

function date(input: ByteReader): Date | number {
  const days = input.i32();
  const ms = days * DAY_MS;
  return Math.abs(ms) > MOST_MS ? days : new Date(ms);
}

function timestamp(input: ByteReader): Date | number | bigint {
  const ms = input.i64();
  return typeof ms === 'bigint' || Math.abs(ms) > MOST_MS ? ms : new Date(ms);
}

function array(element: ReadValue): ReadValue {
  return (input) => {
    const count = input.count(1);
    const list: unknown[] = [];
    for (let i = 0; i < count; i++) list.push(element(input));
    return list;
  };
}

function map(key: ReadValue, element: ReadValue): ReadValue {
  return (input) => {
    const count = input.count(2);
    const entries = new Map<unknown, unknown>();
    for (let i = 0; i < count; i++) {
      const name = key(input);
      entries.set(name, element(input));
    }
    return entries;
  };
}

function struct(schema: Schema, of: (part: Schema) => ReadValue): ReadValue {
  const fields = (schema.fields ?? []).map((field) => ({ name: field.name, read: of(field.schema) }));
  const anyInherited = fields.some(({ name }) => isInherited(name));
  return (input) => {
    const value: Record<string, unknown> = {};
    for (const { name, read } of fields) {
      if (anyInherited) setMember(value, name, read(input));
      else value[name] = read(input);
    }
    return value;
  };
}
