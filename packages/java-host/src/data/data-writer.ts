import { checkValue, DataError, isRecursive, type Schema } from '@millrace/sdk';
import type { ByteWriter } from '../wire/byte-writer';
import type { HostValue } from '../wire/host-value';
import { ProtocolError } from '../wire/protocol-error';
import { writeValue } from '../wire/values';
import { EqualSchemas } from './equal-schemas';
import { DEEPEST_SCHEMA, FORGET, MOST_SCHEMAS, SCHEMA_TYPES } from './schema-types';
import { Mismatch, valueWriter, type WriteValue } from './value-writers';

interface Known {
  readonly number: number;
  readonly write: WriteValue;
}

const NO_SCHEMA = 0;
/** Schema objects that were seen, also equal ones. */
const MOST_OBJECTS = 4 * MOST_SCHEMAS;
/** More than the numbers of schemas. */
const GENERATION = 2 ** 32;

/** Writes data with its schemas, of one direction of one session: all that it writes has to arrive, in this order. */
export class DataWriter {
  private readonly known = new Map<Schema, Known>();
  private readonly equal = new EqualSchemas();
  /** In the order of their numbers. */
  private readonly numbered: Schema[] = [];
  private generation = 0;
  private forgets = false;

  /** Throws DataError for a value that does not fit its schema; nothing is written then. */
  write(out: ByteWriter, schema: Schema | null, value: unknown): void {
    const start = out.length;
    const { mark } = this;
    try {
      if (this.forgets || this.isFull()) this.forget(out);
      if (schema === null) this.schemaless(out, value);
      else this.define(out, schema, 1).write(out, value);
    } catch (error) {
      out.truncate(start);
      this.rollBack(mark);
      throw problem(schema, value, error);
    }
  }

  /** For `rollBack`. */
  get mark(): number {
    return this.generation * GENERATION + this.numbered.length;
  }

  /** What was written since the mark will not be sent. */
  rollBack(mark: number): void {
    const count = mark - this.generation * GENERATION;
    if (count < 0) {
      // It forgot its schemas meanwhile, and the other side has not heard of it.
      this.forgets = true;
    } else if (count < this.numbered.length) {
      this.numbered.length = count;
      for (const [schema, { number }] of this.known) if (number > count) this.known.delete(schema);
    }
  }

  private isFull(): boolean {
    return this.numbered.length >= MOST_SCHEMAS || Math.max(this.known.size, this.equal.size) >= MOST_OBJECTS;
  }

  private schemaless(out: ByteWriter, value: unknown): void {
    out.i32(NO_SCHEMA);
    writeValue(out, (value ?? null) as HostValue);
  }

  private forget(out: ByteWriter): void {
    out.i32(FORGET);
    this.known.clear();
    this.equal.clear();
    this.numbered.length = 0;
    this.generation++;
    this.forgets = false;
  }

  /** Writes the schema's number, and what it is if that is new. */
  private define(out: ByteWriter, schema: Schema, depth: number): Known {
    const known = this.known.get(schema) ?? this.equalOne(schema, depth);
    if (known !== undefined) {
      out.i32(known.number);
      return known;
    }
    if (depth > DEEPEST_SCHEMA) throw tooDeep();
    const number = this.numbered.push(schema);
    out.i32(number);
    out.u8(SCHEMA_TYPES.indexOf(schema.type));
    out.u8(schema.optional ? 1 : 0);
    for (const part of [schema.name, schema.version, schema.doc, schema.parameters]) writeValue(out, part);
    const parts = this.defineParts(out, schema, depth + 1);
    const entry = { number, write: valueWriter(schema, (part) => (parts.get(part) as Known).write) };
    if (schema.default === undefined || schema.default === null) out.u8(0);
    else {
      out.u8(1);
      entry.write(out, schema.default);
    }
    this.known.set(schema, entry).set(this.equal.of(schema), entry);
    return entry;
  }

  private defineParts(out: ByteWriter, schema: Schema, depth: number): Map<Schema, Known> {
    const parts = new Map<Schema, Known>();
    const add = (part: Schema | null): unknown =>
      part === null ? out.i32(NO_SCHEMA) : parts.set(part, this.define(out, part, depth));
    if (schema.type === 'MAP') add(schema.keySchema);
    if (schema.type === 'MAP' || schema.type === 'ARRAY') add(schema.valueSchema);
    if (schema.type === 'STRUCT') {
      out.i32(schema.fields?.length ?? 0);
      for (const field of schema.fields ?? []) {
        out.string(field.name);
        add(field.schema);
      }
    }
    return parts;
  }

  private equalOne(schema: Schema, depth: number): Known | undefined {
    if (depth === 1 && isRecursive(schema)) throw tooDeep();
    const known = this.known.get(this.equal.of(schema));
    if (known !== undefined) this.known.set(schema, known);
    return known;
  }
}

function tooDeep(): DataError {
  return new DataError(
    `The value cannot be sent to the JVM: its schema contains itself, or is nested more than ${DEEPEST_SCHEMA} deep.`,
    { code: 'JAVA_DATA' },
  );
}

function problem(schema: Schema | null, value: unknown, error: unknown): unknown {
  if (error instanceof Mismatch) {
    const { path, reason } = checkValue(schema, value) ?? { path: '', reason: 'a default does not fit its schema' };
    return new DataError(`The value cannot be sent to the JVM: ${path === '' ? '' : `${path}: `}${reason}.`, {
      code: 'JAVA_DATA',
    });
  }
  if (error instanceof ProtocolError)
    return new DataError(`The value cannot be sent to the JVM: ${error.reason}.`, { code: 'JAVA_DATA' });
  return error;
}
