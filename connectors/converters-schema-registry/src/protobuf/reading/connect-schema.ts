/** The Connect schemas of Protobuf's types. Source: Confluent's documentation; see docs/compatibility.md. */
import { LogicalName, type Field, type Schema, type SchemaType } from '@millrace/sdk';
import { schemaError } from '../faults';
import type { ProtobufSettings } from '../protobuf-settings';
import {
  CONNECT_TYPE,
  ENUM,
  GENERALIZED_ENUM,
  GENERALIZED_UNION,
  GENERALIZED_UNION_NAME,
  isEntry,
  isWrapper,
  logicalOf,
  PRECISION,
  stoodFor,
  TAG,
  UNION,
  type Logical,
} from '../schema/connect-names';
import { MOST_ENUM_VALUES, MOST_NESTING } from '../limits';
import { defaultOf } from '../schema/field-defaults';
import {
  fieldOf,
  type EnumType,
  type MessageType,
  type Oneof,
  type ProtoField,
  type Scalar,
} from '../schema/proto-model';
import { enumValue } from './enum-names';

/** A member of the struct that a message becomes. */
export interface Member {
  readonly name: string;
  readonly schema: Schema;
  /** Null: the member is a struct of a oneof's fields. */
  readonly field: ProtoField | null;
  /** Of a oneof's struct. */
  readonly members: readonly Member[];
}

export interface StructShape {
  readonly members: readonly Member[];
  /** Not optional. */
  readonly schema: Schema;
}

type Options = Partial<Pick<Schema, 'optional' | 'default' | 'name' | 'version' | 'parameters'>>;

const SCALAR_TYPES: Readonly<Record<Scalar, SchemaType>> = {
  double: 'FLOAT64',
  float: 'FLOAT32',
  int32: 'INT32',
  sint32: 'INT32',
  sfixed32: 'INT32',
  // Every value of an unsigned type needs one that is wider.
  uint32: 'INT64',
  fixed32: 'INT64',
  int64: 'INT64',
  sint64: 'INT64',
  sfixed64: 'INT64',
  uint64: 'INT64',
  fixed64: 'INT64',
  bool: 'BOOLEAN',
  string: 'STRING',
  bytes: 'BYTES',
};

const LOGICAL_TYPES: Readonly<Record<Logical, readonly [SchemaType, string]>> = {
  timestamp: ['INT64', LogicalName.TIMESTAMP],
  date: ['INT32', LogicalName.DATE],
  time: ['INT32', LogicalName.TIME],
  decimal: ['BYTES', LogicalName.DECIMAL],
};

interface OpenShape extends StructShape {
  readonly members: Member[];
  readonly fields: Field[];
}

/** Remembers the schemas of messages, which may contain themselves. */
export class ConnectSchemas {
  private readonly shapes = new Map<MessageType, OpenShape>();
  /** Of messages whose members are not known yet. */
  private readonly open: MessageType[] = [];
  private standing = 0;
  private readonly enums = new Map<EnumType, Readonly<Record<string, string>>>();
  private enumValues = 0;

  constructor(private readonly settings: ProtobufSettings) {}

  shape(message: MessageType): StructShape {
    const shape = this.begin(message);
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) this.fill(next);
    return shape;
  }

  /** Of a record of the message, which may be none of a struct. */
  root(message: MessageType): Schema {
    const schema = this.recordSchema(message);
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) this.fill(next);
    return schema;
  }

  private recordSchema(message: MessageType): Schema {
    const field = fieldOf(message);
    const { wrapperForRaw } = this.settings;
    if (logicalOf(message) !== null || stoodFor(message)) return this.element(field, {});
    if (wrapperForRaw && isWrapper(message)) return this.element(message.fields[0] as ProtoField, {});
    return this.begin(message).schema;
  }

  private begin(message: MessageType): OpenShape {
    const known = this.shapes.get(message);
    if (known !== undefined) return known;
    const fields: Field[] = [];
    const name = this.settings.enhanced ? message.fullName : message.name;
    const shape = { members: [], fields, schema: Object.freeze(make('STRUCT', { name }, fields)) };
    this.shapes.set(message, shape);
    this.open.push(message);
    return shape;
  }

  private fill(message: MessageType): void {
    const { members, fields } = this.begin(message);
    const names = new Set<string>();
    for (const member of this.membersOf(message)) {
      if (names.has(member.name))
        throw schemaError(`${message.fullName} has two fields that are ${member.name} in Connect.`);
      names.add(member.name);
      members.push(member);
      fields.push(Object.freeze({ name: member.name, index: fields.length, schema: member.schema }));
    }
    Object.freeze(fields);
  }

  /** Of a field's value, or of an element of a repeated field. */
  element(field: ProtoField, options: Options): Schema {
    const { type, meta } = field;
    if (typeof type === 'string') return make(scalarType(type, meta.params.get(CONNECT_TYPE)), options);
    if (type.kind === 'enum') return this.enumSchema(type, options);
    const logical = logicalOf(type);
    if (logical !== null) return logicalSchema(logical, field, options);
    if (this.settings.wrapperForNullables && isWrapper(type)) {
      const wrapped = type.fields[0] as ProtoField;
      return this.element({ ...wrapped, meta }, { ...options, optional: true });
    }
    if (stoodFor(type)) return this.value(type.fields[0] as ProtoField, options);
    return { ...this.begin(type).schema, ...(options as object) };
  }

  private *membersOf(message: MessageType): Generator<Member> {
    const { flattenUnions } = this.settings;
    const seen = new Set<Oneof>();
    for (const field of message.fields) {
      const { oneof } = field;
      if (oneof === null || flattenUnions) yield this.member(field);
      else if (!seen.has(oneof)) {
        seen.add(oneof);
        yield this.union(oneof);
      }
    }
  }

  private member(field: ProtoField): Member {
    return { name: field.name, schema: this.fieldSchema(field), field, members: [] };
  }

  /** The struct that stands for a oneof: at most one of its fields is not null. */
  private union(oneof: Oneof): Member {
    const { indexForUnions, generalizedSums } = this.settings;
    const members = oneof.fields.map((field) => this.member(field));
    const fields = members.map(({ name, schema }, index) => Object.freeze({ name, index, schema }));
    const options: Options = generalizedSums
      ? { name: `${GENERALIZED_UNION_NAME}_${oneof.index}`, parameters: { [GENERALIZED_UNION]: oneof.name } }
      : { name: `${UNION}.${oneof.name}` };
    return {
      name: indexForUnions ? `${oneof.name}_${oneof.index}` : oneof.name,
      schema: make('STRUCT', { ...options, optional: true }, Object.freeze(fields)),
      field: null,
      members,
    };
  }

  private fieldSchema(field: ProtoField): Schema {
    const declared = !field.repeated && field.defaultText !== null;
    const schema = this.value(field, {
      optional: this.isOptional(field),
      ...(declared && { default: this.connectDefault(field) }),
    });
    return Object.freeze({
      ...schema,
      parameters: Object.freeze({ ...schema.parameters, [TAG]: String(field.number) }),
    });
  }

  private value(field: ProtoField, options: Options): Schema {
    // Messages that stand for a value may contain themselves.
    if (++this.standing > MOST_NESTING)
      throw schemaError(`Lists of the schema are nested more than ${MOST_NESTING} times.`);
    const schema = field.repeated ? this.repeated(field, options) : this.element(field, options);
    this.standing--;
    return schema;
  }

  private repeated(field: ProtoField, options: Options): Schema {
    const { type } = field;
    if (typeof type === 'string' || type.kind !== 'message' || !isEntry(type))
      return make('ARRAY', options, null, null, this.element(field, { optional: true }));
    const [key, value] = ['key', 'value'].map((name) => this.entryPart(type.fieldsByName.get(name) as ProtoField));
    return make('MAP', options, null, key, value);
  }

  private entryPart(field: ProtoField): Schema {
    const schema = this.value(field, { optional: true });
    return { ...schema, parameters: { ...schema.parameters, [TAG]: String(field.number) } };
  }

  private isOptional(field: ProtoField): boolean {
    const { optionalForNullables, wrapperForNullables, optionalForProto2 } = this.settings;
    if (field.presence === 'required') return false;
    if (!optionalForNullables && !wrapperForNullables) return true;
    if (field.repeated || field.presence === 'implicit') return false;
    const isMessage = typeof field.type !== 'string' && field.type.kind === 'message';
    return isMessage || field.oneof !== null || !field.proto2 || optionalForProto2;
  }

  private connectDefault(field: ProtoField): unknown {
    const value = defaultOf(field);
    const { type } = field;
    return typeof type !== 'string' && type.kind === 'enum' && !this.settings.intForEnums
      ? enumValue(type, value as number)
      : value;
  }

  private enumSchema(type: EnumType, options: Options): Schema {
    const { enhanced, generalizedSums, intForEnums } = this.settings;
    // Each field has the parameters in a list of its own, with its number.
    if ((this.enumValues += type.values.size) > MOST_ENUM_VALUES)
      throw schemaError(`The enums of the schema, for each field of one, have more than ${MOST_ENUM_VALUES} values.`);
    const name = enhanced ? type.fullName : type.name;
    let parameters = this.enums.get(type);
    if (parameters === undefined) {
      const marker = generalizedSums ? GENERALIZED_ENUM : ENUM;
      const values = [...type.values].map(([value, number]) => [`${marker}.${value}`, String(number)] as const);
      parameters = Object.fromEntries([[marker, name], ...values]);
      this.enums.set(type, parameters);
    }
    return make(intForEnums ? 'INT32' : 'STRING', { ...options, name, parameters });
  }
}

function logicalSchema(logical: Logical, field: ProtoField, options: Options): Schema {
  const [type, name] = LOGICAL_TYPES[logical];
  if (logical !== 'decimal') return make(type, { ...options, name, version: 1 });
  const { params } = field.meta;
  const scale = Number(params.get('scale') ?? '0');
  if (!Number.isInteger(scale) || Math.abs(scale) > 100_000)
    throw schemaError(`The field ${field.name} has a scale that is no integer up to 100,000.`);
  const precision = params.get('precision');
  const parameters = { scale: String(scale), ...(precision !== undefined && { [PRECISION]: precision }) };
  return make(type, { ...options, name, version: 1, parameters });
}

function scalarType(type: Scalar, connectType: string | undefined): SchemaType {
  const of = SCALAR_TYPES[type];
  if (of !== 'INT32') return of;
  return connectType === 'int8' ? 'INT8' : connectType === 'int16' ? 'INT16' : of;
}

function make(
  type: SchemaType,
  options: Options,
  fields: readonly Field[] | null = null,
  keySchema: Schema | null = null,
  valueSchema: Schema | null = null,
): Schema {
  const { optional = false, name = null, version = null, parameters = null } = options;
  return {
    type,
    optional,
    default: options.default,
    name,
    version,
    doc: null,
    parameters,
    fields,
    keySchema,
    valueSchema,
  };
}
