/** Makes the writers of structs, once for each pair of a Connect schema and a message. */
import type { Field, Schema } from '@millrace/sdk';
import { schemaError } from '../faults';
import type { ProtobufSettings } from '../protobuf-settings';
import { isEntry, isWrapper, logicalOf, stoodFor } from '../schema/connect-names';
import { MOST_NESTING } from '../limits';
import { fieldOf, type EnumType, type MessageType, type ProtoField, type Scalar } from '../schema/proto-model';
import { FieldWriter } from './field-writer';
import { protoName } from './names';
import { StructWriter, type StructMember } from './struct-writer';
import { enumValues, unionOf } from './sum-types';
import { logicalOfSchema } from './type-generator';
import { ValueWriter, type WriteKind } from './value-writer';

const SMALL_INTEGERS: readonly Scalar[] = ['int32', 'sint32', 'sfixed32', 'uint32', 'fixed32'];
const LARGE_INTEGERS: readonly Scalar[] = ['int64', 'sint64', 'sfixed64', 'uint64', 'fixed64'];
const INTEGERS: ReadonlySet<string> = new Set([...SMALL_INTEGERS, ...LARGE_INTEGERS]);

/** Protobuf's types that can hold values of a Connect type; values out of their range are errors of the record. */
const HOLDERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['INT8', INTEGERS],
  ['INT16', INTEGERS],
  ['INT32', INTEGERS],
  // An unsigned type of 32 bits is read as an INT64.
  ['INT64', new Set<string>([...LARGE_INTEGERS, 'uint32', 'fixed32'])],
  ['FLOAT32', new Set(['float', 'double'])],
  ['FLOAT64', new Set(['double'])],
  ['BOOLEAN', new Set(['bool'])],
  ['STRING', new Set(['string'])],
  ['BYTES', new Set(['bytes'])],
]);

export class WriterCompiler {
  private readonly structs = new Map<unknown, Map<MessageType, StructWriter>>();
  private depth = 0;

  /** @param isStrict whether the message must have all fields of the struct */
  constructor(
    private readonly settings: ProtobufSettings,
    private readonly isStrict: boolean,
  ) {}

  /** Of a record, which may be no struct: the message then stands for its value. */
  root(schema: Schema, message: MessageType): ValueWriter {
    const field = fieldOf(message);
    if (logicalOf(message) !== null || stoodFor(message)) return this.value(schema, field, 'the record');
    if (isWrapper(message) && (schema.type !== 'STRUCT' || logicalOfSchema(schema) !== null))
      return this.inner(schema, field, message, 'the record');
    if (schema.type !== 'STRUCT') throw unlike(schema, message.fullName, 'the record');
    const writer = new ValueWriter(schema, field, 'struct');
    writer.fields = this.struct(schema, message);
    return writer;
  }

  private struct(schema: Schema, message: MessageType): StructWriter {
    let known = this.structs.get(schema.fields);
    if (known === undefined) this.structs.set(schema.fields, (known = new Map()));
    const found = known.get(message);
    if (found !== undefined) return found;
    if (++this.depth > MOST_NESTING)
      throw schemaError(`Structs of the schema are nested more than ${MOST_NESTING} times.`);
    const writer = new StructWriter();
    known.set(message, writer);
    const members = (schema.fields ?? []).map((field) => this.member(field, message));
    const number = ({ field, union }: StructMember): number => (field ?? union?.[0])?.field.number ?? 0;
    writer.members = members.sort((one, other) => number(one) - number(other));
    writer.hasOneofs = members.some(({ field }) => (field?.field.oneof ?? null) !== null);
    this.checkRequired(members, message);
    this.depth--;
    return writer;
  }

  private member({ name, schema }: Field, message: MessageType): StructMember {
    if (unionOf(schema) !== null) {
      const fields = (schema.fields ?? []).flatMap((one) => this.named(one, message) ?? []);
      return { name, schema, field: null, union: fields };
    }
    return { name, schema, field: this.named({ name, schema }, message), union: null };
  }

  /** The writer of the message's field of the name. Null: it has none, and need not. */
  private named({ name, schema }: Pick<Field, 'name' | 'schema'>, message: MessageType): FieldWriter | null {
    const field = message.fieldsByName.get(protoName(name, this.settings.scrubNames, 'The field name'));
    if (field !== undefined) return this.field(name, schema, field);
    if (this.isStrict)
      throw schemaError(
        `The registered schema has no field ${name} in ${message.fullName}: register one that has it, or set latest.compatibility.strict=false to leave the field out.`,
      );
    return null;
  }

  private checkRequired(members: readonly StructMember[], message: MessageType): void {
    const present = new Set(members.map(({ field }) => field?.field));
    for (const field of message.fields)
      if (field.presence === 'required' && !present.has(field))
        throw schemaError(`The registered schema requires the field ${field.name} in ${message.fullName}.`);
  }

  private field(name: string, schema: Schema, field: ProtoField): FieldWriter {
    const { type } = field;
    if (!field.repeated) return new FieldWriter(name, schema, field, this.value(schema, field, name), null);
    const isMap = typeof type !== 'string' && type.kind === 'message' && isEntry(type);
    if (isMap && schema.type === 'MAP') {
      const key = type.fieldsByName.get('key') as ProtoField;
      const value = type.fieldsByName.get('value') as ProtoField;
      const keyWriter = this.value(schema.keySchema as Schema, key, name);
      return new FieldWriter(name, schema, field, this.value(schema.valueSchema as Schema, value, name), keyWriter);
    }
    if (schema.type !== 'ARRAY') throw unlike(schema, isMap ? 'a map' : 'a repeated field', name);
    return new FieldWriter(name, schema, field, this.value(schema.valueSchema as Schema, field, name), null);
  }

  private value(schema: Schema, field: ProtoField, name: string): ValueWriter {
    const { type } = field;
    if (typeof type === 'string') return this.scalar(schema, field, type, name);
    if (type.kind === 'enum') return this.enum(schema, field, type, name);
    const logical = logicalOf(type);
    if (logical !== null && logicalOfSchema(schema) === logical) return new ValueWriter(schema, field, logical);
    if (stoodFor(type)) return this.inner(schema, field, type, name);
    if (isWrapper(type) && schema.type !== 'STRUCT') return this.inner(schema, field, type, name);
    if (schema.type !== 'STRUCT') throw unlike(schema, type.fullName, name);
    const writer = new ValueWriter(schema, field, 'struct');
    writer.fields = this.struct(schema, type);
    return writer;
  }

  private inner(schema: Schema, field: ProtoField, type: MessageType, name: string): ValueWriter {
    if (++this.depth > MOST_NESTING)
      throw schemaError(`Lists of the schema are nested more than ${MOST_NESTING} times.`);
    const writer = new ValueWriter(schema, field, 'inner');
    writer.fields = this.field(name, schema, type.fields[0] as ProtoField);
    this.depth--;
    return writer;
  }

  private scalar(schema: Schema, field: ProtoField, type: Scalar, name: string): ValueWriter {
    const isPlain = logicalOfSchema(schema) === null;
    if (!isPlain || HOLDERS.get(schema.type)?.has(type) !== true) throw unlike(schema, type, name);
    return new ValueWriter(schema, field, type);
  }

  private enum(schema: Schema, field: ProtoField, type: EnumType, name: string): ValueWriter {
    const kind: WriteKind | null =
      schema.type === 'STRING' ? 'enum name' : /^INT(8|16|32)$/.test(schema.type) ? 'enum number' : null;
    if (kind === null) throw unlike(schema, type.fullName, name);
    // Other texts than the names are errors of the record, unless the schema says which texts there are.
    for (const value of (this.isStrict ? enumValues(schema) : null)?.keys() ?? [])
      if (!type.values.has(value))
        throw schemaError(`The enum ${type.fullName} of the registered schema has no ${value}.`);
    const writer = new ValueWriter(schema, field, kind);
    writer.enumType = type;
    return writer;
  }
}

function unlike(schema: Schema, type: string, name: string): Error {
  const of = schema.name ?? schema.type;
  return schemaError(
    `${name === 'the record' ? 'The record' : `Field ${name}`} is ${of}, which ${type} of the registered schema cannot hold.`,
  );
}
