import {
  arraySchema,
  mapSchema,
  schema as primitiveSchema,
  type Schema,
  type SchemaAndValue,
  type SchemaOptions,
  setMember,
  structSchema,
} from '@millrace/sdk';
import type { ByteReader } from '../wire/byte-reader';
import { ProtocolError } from '../wire/protocol-error';
import { readValue } from '../wire/values';
import { DEEPEST_SCHEMA, FORGET, SCHEMA_TYPES } from './schema-types';
import { type ReadValue, valueReader } from './value-readers';

interface Known {
  readonly schema: Schema;
  readonly read: ReadValue;
}

/** Reads data of one direction of one session. Equal numbers give the same schema object. Throws ProtocolError. */
export class DataReader {
  /** By number, from 1. Null: its definition is being read. */
  private readonly known: (Known | null)[] = [];

  read(input: ByteReader): SchemaAndValue {
    let number = input.i32();
    if (number === FORGET) {
      this.known.length = 0;
      number = input.i32();
    }
    if (number === 0) return { schema: null, value: readValue(input) };
    const { schema, read } = this.numbered(input, number, 1);
    return { schema, value: read(input) };
  }

  private numbered(input: ByteReader, number: number, depth: number): Known {
    if (number === this.known.length + 1) return this.define(input, depth);
    const known = this.known[number - 1];
    if (known) return known;
    throw new ProtocolError(`no schema has the number ${number}`);
  }

  private define(input: ByteReader, depth: number): Known {
    if (depth > DEEPEST_SCHEMA) throw new ProtocolError(`schemas nest more than ${DEEPEST_SCHEMA} deep`);
    const at = this.known.push(null) - 1;
    const type = SCHEMA_TYPES.at(input.u8());
    const options: SchemaOptions = {
      optional: input.u8() !== 0,
      ...named('name', text(input)),
      ...named('version', version(input)),
      ...named('doc', text(input)),
      ...named('parameters', parameters(input)),
    };
    const parts = new Map<Schema, ReadValue>();
    const part = (number: number): Schema => {
      const { schema, read } = this.numbered(input, number, depth + 1);
      parts.set(schema, read);
      return schema;
    };
    const make = partsOf(type, input, part);
    const of = (one: Schema): ReadValue => parts.get(one) as ReadValue;
    let schema = make(options);
    const hasDefault = input.u8() !== 0;
    const read = valueReader(schema, of);
    if (hasDefault) schema = make({ ...options, default: read(input) });
    const known = { schema, read };
    this.known[at] = known;
    return known;
  }
}

/** Reads the schemas in a schema. Returns what makes the schema from them. */
function partsOf(
  type: (typeof SCHEMA_TYPES)[number] | undefined,
  input: ByteReader,
  part: (number: number) => Schema,
): (options: SchemaOptions) => Schema {
  // The SDK's functions do not say so, but a schema of Java may lack these.
  const orNone = (): Schema => {
    const number = input.i32();
    return number === 0 ? (null as unknown as Schema) : part(number);
  };
  switch (type) {
    case 'ARRAY': {
      const element = orNone();
      return (options) => arraySchema(element, options);
    }
    case 'MAP': {
      const key = orNone();
      const element = orNone();
      return (options) => mapSchema(key, element, options);
    }
    case 'STRUCT': {
      const count = input.count(8);
      const fields: [string, Schema][] = [];
      const names = new Set<string>();
      for (let i = 0; i < count; i++) {
        const name = input.string();
        if (names.has(name)) throw new ProtocolError('a schema has two fields of one name');
        names.add(name);
        fields.push([name, part(input.i32())]);
      }
      return (options) => structSchema(fields, options);
    }
    case undefined:
      throw new ProtocolError('a schema has an unknown type');
    default:
      return (options) => primitiveSchema(type, options);
  }
}

function named<N extends string, T>(name: N, value: T | null): Partial<Record<N, T>> {
  return value === null ? {} : ({ [name]: value } as Record<N, T>);
}

function text(input: ByteReader): string | null {
  const value = readValue(input);
  if (value !== null && typeof value !== 'string') throw new ProtocolError('a schema has a name that is no text');
  return value;
}

function version(input: ByteReader): number | null {
  const value = readValue(input);
  if (value !== null && typeof value !== 'number') throw new ProtocolError('a schema has a version that is no number');
  return value;
}

function parameters(input: ByteReader): Record<string, string> | null {
  const value = readValue(input);
  if (value === null) return null;
  const result: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    if (typeof one !== 'string') throw new ProtocolError('a schema has a parameter that is no text');
    setMember(result, name, one);
  }
  return result;
}
