/** Protobuf's types for values of a Connect schema. Source: Confluent's documentation; see docs/compatibility.md. */
import { decimalScale, LogicalName, type Schema } from '@millrace/sdk';
import { schemaError } from '../faults';
import type { ProtobufSettings } from '../protobuf-settings';
import { CONNECT_TYPE, LOGICAL_MESSAGES, PRECISION, STANDS_FOR, TAG, type Logical } from '../schema/connect-names';
import { MOST_DECLARATIONS, MOST_NESTING } from '../limits';
import { fieldOf, NO_META, type FieldType, type Meta, type ProtoField, type Scalar } from '../schema/proto-model';
import { wellKnownType } from '../schema/well-known-type';
import { enumOf, unionOf } from './sum-types';
import { freeName, protoName, splitName } from './names';
import { DraftMessage, type GeneratedFile } from './draft-message';

const UNNAMED = 'ConnectDefault';
const NOT_PACKED: ReadonlySet<FieldType> = new Set<Scalar>(['string', 'bytes']);
const MAP_KEYS: ReadonlySet<FieldType> = new Set<Scalar>(['int32', 'int64', 'bool', 'string']);

const LOGICALS: ReadonlyMap<string, Logical> = new Map([
  [LogicalName.TIMESTAMP, 'timestamp'],
  [LogicalName.DATE, 'date'],
  [LogicalName.TIME, 'time'],
  [LogicalName.DECIMAL, 'decimal'],
]);

const SCALARS: ReadonlyMap<string, Scalar> = new Map([
  ['INT8', 'int32'],
  ['INT16', 'int32'],
  ['INT32', 'int32'],
  ['INT64', 'int64'],
  ['FLOAT32', 'float'],
  ['FLOAT64', 'double'],
  ['BOOLEAN', 'bool'],
  ['STRING', 'string'],
  ['BYTES', 'bytes'],
]);

const WRAPPERS: ReadonlyMap<FieldType, string> = new Map<FieldType, string>([
  ['int32', 'Int32Value'],
  ['int64', 'Int64Value'],
  ['float', 'FloatValue'],
  ['double', 'DoubleValue'],
  ['bool', 'BoolValue'],
  ['string', 'StringValue'],
  ['bytes', 'BytesValue'],
]);
const WRAPPERS_FILE = 'google/protobuf/wrappers.proto';

export function logicalOfSchema(schema: Schema): Logical | null {
  return schema.name === null ? null : (LOGICALS.get(schema.name) ?? null);
}

/** Throws DataError. */
export function generateTypes(schema: Schema, settings: ProtobufSettings): GeneratedFile {
  return new TypeGenerator(settings).file(schema);
}

interface Typed {
  readonly type: FieldType;
  readonly meta: Meta;
}

class TypeGenerator {
  private readonly imports = new Set<string>();
  /** By their lists of fields, while those are not complete: a schema may contain itself. */
  private readonly open = new Map<unknown, DraftMessage>();
  private unnamed = 0;
  private declarations = 0;
  private depth = 0;

  constructor(private readonly settings: ProtobufSettings) {}

  file(schema: Schema): GeneratedFile {
    const message = this.record(schema);
    return { package: message.fullName.slice(0, -message.name.length - 1), message, imports: this.imports };
  }

  private record(schema: Schema): DraftMessage {
    const logical = logicalOfSchema(schema);
    if (logical !== null) {
      const { fullName } = LOGICAL_MESSAGES[logical];
      const { fields } = wellKnownType(LOGICAL_MESSAGES[logical].file, fullName);
      return this.foreign(fullName, fields, this.metaOf(schema));
    }
    if (schema.type === 'STRUCT') {
      const { package: packageName, name } = this.nameOf(schema);
      return this.message(schema, name, packageName);
    }
    const scalar = SCALARS.get(schema.type);
    const wrapper = scalar === undefined ? undefined : WRAPPERS.get(scalar);
    if (this.settings.wrapperForRaw && scalar !== undefined && wrapper !== undefined) {
      const field = { ...fieldOf(scalar), presence: 'implicit', meta: this.metaOf(schema) } as const;
      return this.foreign(`google.protobuf.${wrapper}`, [field], NO_META);
    }
    const message = new DraftMessage(`${UNNAMED}${++this.unnamed}`, '', this.standsFor('value'));
    message.add(this.field('value', schema, 1, message));
    return message;
  }

  /** A message that has the name, and the fields, of a well-known one. */
  private foreign(fullName: string, fields: readonly ProtoField[], meta: Meta): DraftMessage {
    const at = fullName.lastIndexOf('.');
    const message = new DraftMessage(fullName.slice(at + 1), fullName.slice(0, at), meta);
    for (const field of fields) message.add(field);
    return message;
  }

  private nameOf(schema: Schema): { readonly package: string; readonly name: string } {
    const { enhanced, scrubNames } = this.settings;
    if (schema.name === null) return { package: '', name: `${UNNAMED}${++this.unnamed}` };
    return splitName(schema.name, enhanced, scrubNames);
  }

  /** @param scope package or message that it is declared in */
  private message(schema: Schema, name: string, scope: string): DraftMessage {
    if (++this.depth > MOST_NESTING)
      throw schemaError(`Structs of the schema are nested more than ${MOST_NESTING} times.`);
    const message = new DraftMessage(name, scope, NO_META);
    this.open.set(schema.fields, message);
    const fields = this.members(schema, message);
    const numbers = fieldNumbers(fields.map((field) => field.schema));
    for (const { name: fieldName } of fields) this.take(message, fieldName);
    for (const [i, { name: fieldName, schema: fieldSchema, oneof }] of fields.entries()) {
      this.declared();
      const field = this.field(fieldName, fieldSchema, numbers[i] as number, message);
      message.add(oneof === null ? field : { ...field, presence: 'explicit', optional: false, oneof });
    }
    this.open.delete(schema.fields);
    this.depth--;
    return message;
  }

  /** Fields of the message, which are also those of structs that stand for a oneof. */
  private members(schema: Schema, message: DraftMessage): Member[] {
    const { scrubNames } = this.settings;
    const named = (name: string): string => protoName(name, scrubNames, 'The field name');
    return (schema.fields ?? []).flatMap((field): Member[] => {
      const union = unionOf(field.schema);
      if (union === null) return [{ name: named(field.name), schema: field.schema, oneof: null }];
      const name = named(union);
      this.take(message, name);
      const oneof = message.addOneof(name);
      return (field.schema.fields ?? []).map((one) => ({ name: named(one.name), schema: one.schema, oneof }));
    });
  }

  private take(message: DraftMessage, name: string): void {
    if (message.taken.has(name)) throw schemaError(`Two fields of the schema have the name ${name} in Protobuf.`);
    message.taken.add(name);
  }

  private field(name: string, schema: Schema, number: number, parent: DraftMessage): ProtoField {
    if (schema.type === 'ARRAY') {
      const { type, meta } = this.typeOf(schema.valueSchema as Schema, `${upperFirst(name)}Item`, parent);
      const packed = typeof type === 'string' ? !NOT_PACKED.has(type) : type.kind === 'enum';
      return { ...fieldOf(type, name, number), repeated: true, packed, meta };
    }
    if (schema.type === 'MAP') {
      const type = this.entries(name, schema, parent);
      return { ...fieldOf(type, name, number), repeated: true, meta: NO_META };
    }
    const { optionalForNullables, wrapperForNullables } = this.settings;
    const { type, meta } = this.typeOf(schema, upperFirst(name), parent);
    const isMessage = typeof type !== 'string' && type.kind === 'message';
    const wrapper = WRAPPERS.get(type);
    if (schema.optional && wrapperForNullables && wrapper !== undefined)
      return { ...fieldOf(this.wellKnown(WRAPPERS_FILE, `google.protobuf.${wrapper}`), name, number), meta };
    const optional = !isMessage && schema.optional && (optionalForNullables || wrapperForNullables);
    return {
      ...fieldOf(type, name, number),
      presence: isMessage || optional ? 'explicit' : 'implicit',
      optional,
      meta,
    };
  }

  /** The message of a map's entries, which is one of Protobuf's maps if that can hold them. */
  private entries(name: string, schema: Schema, parent: DraftMessage): DraftMessage {
    this.declared();
    const key = this.typeOf(schema.keySchema as Schema, `${upperFirst(name)}Key`, parent);
    const value = this.typeOf(schema.valueSchema as Schema, `${upperFirst(name)}Value`, parent);
    const isMap = MAP_KEYS.has(key.type) && key.meta === NO_META && value.meta === NO_META;
    const entry = isMap
      ? new DraftMessage(`${name} entry`, parent.fullName, NO_META, true)
      : new DraftMessage(freeName(`${upperFirst(name)}Entry`, parent.taken), parent.fullName, this.standsFor('entry'));
    for (const [i, part] of [key, value].entries()) {
      const isMessage = typeof part.type !== 'string' && part.type.kind === 'message';
      const presence = isMessage ? 'explicit' : 'implicit';
      entry.add({ ...fieldOf(part.type, i === 0 ? 'key' : 'value', i + 1), presence, meta: part.meta });
    }
    if (!isMap) parent.messages.push(entry);
    return entry;
  }

  /** Of a value that is not repeated. */
  private typeOf(schema: Schema, hint: string, parent: DraftMessage): Typed {
    const logical = logicalOfSchema(schema);
    if (logical !== null) {
      const { file, fullName } = LOGICAL_MESSAGES[logical];
      return { type: this.wellKnown(file, fullName), meta: this.metaOf(schema) };
    }
    const enumType = enumOf(schema, parent);
    if (enumType !== null) return { type: enumType, meta: NO_META };
    if (schema.type === 'STRUCT') return { type: this.nested(schema, parent), meta: NO_META };
    const scalar = SCALARS.get(schema.type);
    if (scalar !== undefined) return { type: scalar, meta: this.metaOf(schema) };
    // A list or map in another one needs a message around it.
    if (++this.depth > MOST_NESTING)
      throw schemaError(`Lists of the schema are nested more than ${MOST_NESTING} times.`);
    this.declared();
    const message = new DraftMessage(freeName(hint, parent.taken), parent.fullName, this.standsFor('value'));
    message.add(this.field('value', schema, 1, message));
    parent.messages.push(message);
    this.depth--;
    return { type: message, meta: NO_META };
  }

  private nested(schema: Schema, parent: DraftMessage): DraftMessage {
    const around = this.open.get(schema.fields) ?? parent.ofFields.get(schema.fields);
    if (around !== undefined) return around;
    this.declared();
    const name = freeName(this.nameOf(schema).name, parent.taken);
    const message = this.message(schema, name, parent.fullName);
    parent.ofFields.set(schema.fields, message);
    parent.messages.push(message);
    return message;
  }

  private wellKnown(file: string, fullName: string): FieldType {
    this.imports.add(file);
    return wellKnownType(file, fullName);
  }

  private metaOf(schema: Schema): Meta {
    const params = new Map<string, string>();
    if (schema.name === LogicalName.DECIMAL) {
      const precision = schema.parameters?.[PRECISION];
      if (precision !== undefined && /^\d+$/.test(precision)) params.set('precision', precision);
      params.set('scale', String(decimalScale(schema)));
    } else if (schema.type === 'INT8') params.set(CONNECT_TYPE, 'int8');
    else if (schema.type === 'INT16') params.set(CONNECT_TYPE, 'int16');
    return this.meta(params);
  }

  private standsFor(what: 'value' | 'entry'): Meta {
    return this.meta(new Map([[STANDS_FOR, what]]));
  }

  private meta(params: ReadonlyMap<string, string>): Meta {
    if (params.size === 0) return NO_META;
    this.imports.add('confluent/meta.proto');
    return { doc: null, params };
  }

  private declared(): void {
    if (++this.declarations > MOST_DECLARATIONS)
      throw schemaError(`The schema has more than ${MOST_DECLARATIONS} fields and types.`);
  }
}

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly oneof: ProtoField['oneof'];
}

/** A schema that was read from Protobuf has the numbers of its fields, which they keep; others are in order. */
function fieldNumbers(schemas: readonly Schema[]): number[] {
  const used = new Set<number>();
  const tags = schemas.map((schema) => {
    const tag = Number(schema.parameters?.[TAG] ?? 0);
    if (!Number.isInteger(tag) || tag < 1 || tag > 536_870_911 || used.has(tag)) return 0;
    if (tag >= 19_000 && tag <= 19_999) return 0;
    used.add(tag);
    return tag;
  });
  let next = 0;
  return tags.map((tag) => {
    if (tag !== 0) return tag;
    do next++;
    while (used.has(next) || (next >= 19_000 && next <= 19_999));
    return next;
  });
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
