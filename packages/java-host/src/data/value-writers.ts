/** Each schema becomes a function that writes its values. */
import {
  DAY_MS,
  decimalScale,
  isDecimal,
  isInherited,
  LogicalName,
  readMember,
  type Schema,
  temporalProblem,
  unscaledBytes,
} from '@millrace/sdk';
import type { ByteWriter } from '../wire/byte-writer';
import type { HostValue } from '../wire/host-value';
import { writeValue } from '../wire/values';
import { LOGICAL_TYPES } from './schema-types';

/** Throws `Mismatch` for a value that does not fit; what was written until then is of no use. */
export type WriteValue = (out: ByteWriter, value: unknown) => void;

/** Carries no place: `checkValue` finds it. */
export class Mismatch extends Error {}
const MISMATCH = new Mismatch('the value does not fit its schema');
function fail(): never {
  throw MISMATCH;
}

const ABSENT = 0;
const PRESENT = 1;

/** @param of the writers of the schemas in this one */
export function valueWriter(schema: Schema, of: (part: Schema) => WriteValue): WriteValue {
  const write = presentWriter(schema, of);
  return (out, value) => {
    if (value === null || value === undefined) return out.u8(ABSENT);
    out.u8(PRESENT);
    write(out, value);
  };
}

function presentWriter(schema: Schema, of: (part: Schema) => WriteValue): WriteValue {
  if (schema.name !== null && schema.type === LOGICAL_TYPES[schema.name])
    return schema.name === LogicalName.DECIMAL
      ? decimal(decimalScale(schema))
      : temporal(schema.name, PRIMITIVES[schema.type] ?? fail);
  const part = (one: Schema | null): WriteValue => (one === null ? free : of(one));
  switch (schema.type) {
    case 'ARRAY':
      return array(part(schema.valueSchema));
    case 'MAP':
      return map(part(schema.keySchema), part(schema.valueSchema));
    case 'STRUCT':
      return struct(schema, of);
    default:
      return PRIMITIVES[schema.type] ?? fail;
  }
}

/** Without a schema. */
function free(out: ByteWriter, value: unknown): void {
  if (value === null || value === undefined) return out.u8(ABSENT);
  out.u8(PRESENT);
  writeValue(out, value as HostValue);
}

function integer(bits: number, write: (out: ByteWriter, value: number) => void): WriteValue {
  const limit = 2 ** (bits - 1);
  return (out, value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < -limit || value >= limit) fail();
    write(out, value as number);
  };
}

const PRIMITIVES: Readonly<Partial<Record<string, WriteValue>>> = {
  INT8: integer(8, (out, value) => out.u8(value & 0xff)),
  INT16: integer(16, (out, value) => out.u16(value & 0xffff)),
  INT32: integer(32, (out, value) => out.i32(value)),
  INT64: (out, value) => {
    if (Number.isSafeInteger(value)) out.i64(value as number);
    else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) out.bigInt64(value);
    else if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63)
      out.bigInt64(BigInt(value));
    else fail();
  },
  FLOAT32: (out, value) => (typeof value === 'number' ? out.f32(value) : fail()),
  FLOAT64: (out, value) => (typeof value === 'number' ? out.f64(value) : fail()),
  BOOLEAN: (out, value) => (typeof value === 'boolean' ? out.u8(value ? 1 : 0) : fail()),
  STRING: (out, value) => (typeof value === 'string' ? out.string(value) : fail()),
  BYTES: (out, value) => (value instanceof Uint8Array ? out.bytes(value) : fail()),
};

function decimal(scale: number): WriteValue {
  return (out, value) => {
    if (!isDecimal(value) || value.scale !== scale) fail();
    else out.bytes(unscaledBytes(value.unscaled));
  };
}

/** A number is what the schema's type holds: for times that a `Date` does not reach. */
function temporal(name: string, primitive: WriteValue): WriteValue {
  const unit = name === LogicalName.DATE ? DAY_MS : 1;
  return (out, value) => {
    if (!(value instanceof Date)) primitive(out, value);
    else if (temporalProblem(name, value) !== null) fail();
    else primitive(out, value.getTime() / unit);
  };
}

function array(element: WriteValue): WriteValue {
  return (out, value) => {
    if (!Array.isArray(value)) return fail();
    out.i32(value.length);
    for (const one of value) element(out, one);
  };
}

function map(key: WriteValue, element: WriteValue): WriteValue {
  return (out, value) => {
    if (!(value instanceof Map)) return fail();
    out.i32(value.size);
    for (const [name, one] of value) {
      key(out, name);
      element(out, one);
    }
  };
}

function struct(schema: Schema, of: (part: Schema) => WriteValue): WriteValue {
  const fields = (schema.fields ?? []).map((field) => ({ name: field.name, write: of(field.schema) }));
  const anyInherited = fields.some(({ name }) => isInherited(name));
  return (out, value) => {
    if (typeof value !== 'object' || value instanceof Map || Array.isArray(value)) return fail();
    if (typeof (value as { then?: unknown }).then === 'function') return fail();
    const members = value as Record<string, unknown>;
    for (const { name, write } of fields) write(out, anyInherited ? readMember(members, name) : members[name]);
  };
}
